import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createUnstoredNote } from '../../test/support/sample-notes.ts';
import { pickByScale } from '../../test/support/scale.ts';
import { openSqlite } from '../store/open-sqlite.ts';
import { Importer } from './importer.ts';
import { markdownFormat, toMarkdownFile } from './markdown-format.ts';
import type { ReadRecord } from './record.ts';
import type { Source } from './source.ts';

const modifiedAt = new Date('2026-02-01T00:00:00.000Z');
const time = modifiedAt.toISOString();

const note = {
  id: 12,
  ...createUnstoredNote({
    title: 'Undo the last commit',
    content: 'git reset --soft HEAD~1\n',
    category: 'bash-commands',
    group: 'first',
    color: 'info',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  }),
};

function createFolder(files: Readonly<Record<string, string | Uint8Array>>): Source {
  return {
    name: 'vault',
    modifiedAt,
    files: Object.keys(files).sort(),
    async *streamChunks(path = '') {
      yield Buffer.from(files[path] ?? '');
    },
  };
}

async function readFolder(
  files: Readonly<Record<string, string | Uint8Array>>,
  more: Pick<Source, 'findOriginKey'> = {},
): Promise<ReadRecord[]> {
  return Array.fromAsync(markdownFormat.streamRecords({ ...createFolder(files), ...more }));
}

/** The only note of a folder with one file of this text. */
async function readOnlyNote(text: string, path = 'Some page.md') {
  const [record] = await readFolder({ [path]: text });
  return record?.kind === 'note' ? record.note : record;
}

describe('a file of ours', () => {
  test('is human-readable', () => {
    expect(toMarkdownFile(note)).toEqual({
      path: 'bash-commands/12-undo-the-last-commit.md',
      text: `---
id: 12
title: Undo the last commit
category: bash-commands
group: first
color: info
archived: false
createdAt: "2026-01-01T00:00:00.000Z"
updatedAt: "2026-01-02T00:00:00.000Z"
---
git reset --soft HEAD~1
`,
    });
  });

  test.each([
    ['../../etc/passwd', 'notes/12-etc-passwd.md'],
    ['CON', 'notes/12-con.md'],
    ['a:b*c?<d>|"e"\\f', 'notes/12-a-b-c-d-e-f.md'],
    ['\u0007\u202e…', 'notes/12.md'],
    ['Überraschung für Zoë', 'notes/12-überraschung-für-zoë.md'],
    ['हिन्दी', 'notes/12-हिन्दी.md'],
  ])('of the title %j has the name %s', (title, path) => {
    expect(toMarkdownFile({ ...note, category: 'notes', title }).path).toBe(path);
  });

  test.each(['a'.repeat(500), '漢'.repeat(500), '😀é'.repeat(300)])('has a name that is not too long (%#)', (title) => {
    const name = toMarkdownFile({ ...note, title }).path.split('/')[1] ?? '';

    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
    expect(name).toEndWith('.md');
    expect(name.isWellFormed()).toBe(true);
  });

  test.each(['a\u2028---\u2028b', 'a\r---\rb', '---\nid: 9', 'yes', '007', '- x: "y"', ' \t ', '\ufeff', '# x'])(
    'keeps the title %j',
    async (title) => {
      const { text } = toMarkdownFile({ ...note, title });

      expect(await readOnlyNote(text)).toEqual({ ...note, title });
      expect(text.split('\n')).toHaveLength(12); // a line for each field
    },
  );

  test.each(['---\n', '---\nid: 9\n---\nx', '\ufeffx', '\r\n', '...\n', '\n\n'])(
    'keeps the content %j',
    async (content) => {
      expect(await readOnlyNote(toMarkdownFile({ ...note, content }).text)).toEqual({ ...note, content });
    },
  );
});

test('a pinned note has its place in the front matter, and a pin of somebody else stays in the text', async () => {
  const { text } = toMarkdownFile({ ...note, pin: 7 });

  const [pinned] = await readFolder({ 'page.md': text });
  const [other] = await readFolder({ 'page.md': text.replace('pin: 7', 'pin: red') });

  expect(pinned).toMatchObject({ kind: 'note', note, pin: 7 });
  expect(other).toMatchObject({ kind: 'note', note: { ...note, content: `---\npin: red\n---\n${note.content}` } });
  expect(other).not.toHaveProperty('pin');
});

/** Fields that identify front matter as ours. */
const ours = 'id: 1\nupdatedAt: 2026-01-01T00:00:00.000Z\n';

describe('a file of another program', () => {
  const defaults = { category: 'notes', group: 'first', color: 'neutral', archived: false } as const;

  test('without front matter has its name as title, and the times of the file', async () => {
    expect(await readOnlyNote('Some text', 'Daily/2026-02-01.md')).toEqual(
      createUnstoredNote({ ...defaults, title: '2026-02-01', content: 'Some text', createdAt: time, updatedAt: time }),
    );
  });

  test.each([
    ['# The plan #\ntext', 'The plan'],
    ['\ufeff# The plan\r\ntext', 'The plan'],
    [' \n\r\n#  The plan', 'The plan'],
    ['---\ntags: [a]\n---\n\n# The plan\n', 'The plan'],
    ['---\ntitle: Mine\n---\n# The plan\n', 'Mine'],
    ['## The plan\n', 'Some page'],
    ['text\n# The plan\n', 'Some page'],
    ['    # code\n', 'Some page'],
    ['#tag\n', 'Some page'],
    ['# \n', 'Some page'],
  ])('with the text %j has the title %j, and keeps its text', async (text, title) => {
    const read = await readOnlyNote(text);

    expect(read).toMatchObject({ title, content: text.replace('\ufeff', '').replace('---\ntitle: Mine\n---\n', '') });
  });

  test.each([
    ['text\n\n## The plan ##\n', 'Some page', 'The plan'],
    ['```sh\n# no heading\n```\n', 'Some page', undefined],
    ['# The plan\n', 'The plan', 'Some page'],
  ])('with the text %j was titled by another rule before', async (text, title, formerTitle) => {
    const [record] = await readFolder({ 'Daily/Some page.md': text });

    expect(record).toMatchObject({ note: { title } });
    expect(record?.kind === 'note' && record.formerTitle).toBe(formerTitle);
  });

  test('that is in a vault of Obsidian has its name as title, since links use it', async () => {
    const files = { 'Some page.md': '# The plan\n' };

    const records = [
      ...(await readFolder({ ...files, '.obsidian/app.json': '{}' })),
      ...(await readFolder(files, { findOriginKey: (path) => `obsidian:Vault/${path}` })),
    ];

    expect(records).toMatchObject([
      { note: { title: 'Some page' }, formerTitle: 'The plan' },
      { note: { title: 'Some page' }, formerTitle: 'The plan' },
    ]);
  });

  test('from standard input has its heading as title', async () => {
    const source = { ...createFolder({ '': '# The plan\n' }), name: 'standard input', files: [] };

    const [record] = await Array.fromAsync(markdownFormat.streamRecords(source));

    expect(record).toMatchObject({ note: { title: 'The plan' } });
  });

  test('keeps foreign front matter in the content, including an id without a time', async () => {
    const text = '---\r\ntitle: 007\r\nid: 202601311200\r\ntags: [a, b] # both\r\n---\r\nText\r\n';

    expect(await readOnlyNote(text)).toMatchObject({
      ...defaults,
      title: '007',
      content: '---\r\nid: 202601311200\r\ntags: [a, b] # both\r\n---\r\nText\r\n',
    });
  });

  test('keeps values that do not fit our fields, with a remark', async () => {
    const text = '---\ncategory: recipes\ncolor: info\ngroup: [a]\ncreatedAt: soon\n---\nText\n';

    const [record] = await readFolder({ 'Soup.md': text });

    expect(record).toMatchObject({
      note: {
        ...defaults,
        color: 'info',
        content: '---\ncategory: recipes\ngroup: [a]\ncreatedAt: soon\n---\nText\n',
      },
      remark: 'Left in the text, as no field matches it: category “recipes”, group, createdAt “soon”',
    });
  });

  test('without category gets the given one', async () => {
    const texts = { 'a.md': 'text', 'b.md': '---\ncategory: css\n---\nx', 'c.md': '---\ncategory: x\n---\nx' };

    const records = await Array.fromAsync(
      markdownFormat.streamRecords({ ...createFolder(texts), category: 'prompts' }),
    );

    expect(records.map((record) => record.kind === 'note' && record.note.category)).toEqual([
      'prompts',
      'css',
      'prompts',
    ]);
  });

  test.each([
    [`---\n${ours}category: blog\n---\nx`, 'Invalid category. Must be one of: css, '],
    [`---\n${ours}title: [a]\n---\nx`, 'Invalid title. Must be a non-empty string'],
    [`---\n${ours}archived: no\n---\nx`, 'Invalid archived. Must be one of: true, false'],
    [`---\nid: 0\nupdatedAt: 2026-01-01T00:00:00.000Z\n---\nx`, 'Invalid id. '],
    ['---\nid: 1\nupdatedAt: yesterday\n---\nx', 'Invalid updatedAt. Must be a time'],
    [
      `---\n${ours}title: b: c\n---\nx`,
      'cannot be read: line 4 is not valid YAML. Put the text in quotes: title: "a: b"',
    ],
    [`---\n${ours}---\n`, 'Invalid content. Must be a non-empty string'],
  ])('of ours that is damaged is named by its path and the reason (%#)', async (text, reason) => {
    expect(await readOnlyNote(text)).toEqual({
      kind: 'bad',
      location: 'Some page.md',
      reason: expect.stringContaining(reason),
    });
  });

  test.each(['', ' \r\n\t', '\ufeff', '---\ntitle: Mine\ncategory: css\n---\n\n'])(
    'without text is left out (%j)',
    async (text) => {
      expect(await readOnlyNote(text)).toEqual({
        kind: 'left out',
        location: 'Some page.md',
        reason: 'It has no text',
      });
    },
  );

  test('that is not UTF-8, or not Markdown, affects no other file', async () => {
    const files = { 'a.md': Uint8Array.of(0xff), 'b.png': '', '.obsidian/c.md': 'settings', 'd.MD': 'text' };

    const records = await readFolder(files);

    expect(records.map(({ kind, location }) => [location, kind])).toEqual([
      ['a.md', 'bad'],
      ['b.png', 'left out'],
      ['d.MD', 'note'],
    ]);
  });
});

describe('a vault', () => {
  const line = fc.oneof(
    fc.constantFrom(
      ...[
        '',
        ' ',
        '# comment',
        '- item',
        '\t- tab',
        '  - inner',
        '[[Ann]], [[Ben]]',
        '{{title}}',
        '<% tp.date.now() %>',
      ],
      ...['title: Mine', 'title: a: b', 'title: {{title}}', 'title: >-', '  folded', 'tags: [daily, work]', 'tags:'],
      ...['people: [[Ann]], [[Ben]]', 'category: css', 'category: recipes', 'color: info # blue', 'group: "second"'],
      ...['archived: true', 'id: 2026-a', 'date: 01/03/2024', 'created: 2024-03-01', 'updated: 2024-02-01 10:20'],
      ...[
        'createdAt: 2024-03-01T10:20:30.400Z',
        'updatedAt: soon',
        '"color": error',
        '? group',
        ': first',
        '+++',
        '...',
      ],
      ...['---', '{', '}', 'rating:: 5', 'completed?: no', '&a x: *a', 'desc: "open', '<<: *b', '%TAG', '## Heading'],
    ),
    fc.string({ unit: fc.constantFrom(...'ab1: -#\'"[]{}|>&*!%@`\t\r\\é漢') }),
  );
  const text = fc
    .record({
      start: fc.constantFrom('---', '---', '---', '--- ', '\ufeff---', '+++', ''),
      lines: fc.array(line, { maxLength: 6 }),
      end: fc.constantFrom('---', '---', '...', ''),
      body: fc.array(line, { maxLength: 3 }),
      lineEnd: fc.constantFrom('\n', '\r\n'),
    })
    .map(({ start, lines, end, body, lineEnd }) => [start, ...lines, end, ...body].join(lineEnd));

  const findWords = (of: string) => of.match(/[\p{L}\p{N}]+/gu) ?? [];

  test('is read without losing a word, unless a file is named as without text', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        const [record] = await readFolder({ 'Some page.md': one });
        if (record?.kind !== 'note')
          return expect(record).toEqual({ kind: 'left out', location: 'Some page.md', reason: 'It has no text' });
        expect(findWords(Object.entries(record.note).join('\n'))).toContainValues(findWords(one));
      }),
      { numRuns: pickByScale(20_000, 1_000) },
    );
  });

  test('is imported a second time without a change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (texts) => {
        const vault = createFolder(Object.fromEntries(texts.map((one, at) => [`${at}.md`, one])));
        await using store = await openSqlite({ path: ':memory:' });
        const imported = async () => {
          const importer = new Importer(store, { onSkipped() {}, onBatch() {}, digest: String });
          await importer.importRecords(
            markdownFormat.streamRecords({ ...vault, findOriginKey: (path) => `file:${path}` }),
          );
          return importer.report;
        };

        const { read, leftOut } = await imported();
        const notes = await store.list();
        expect(read + leftOut).toBe(texts.length);
        expect(await imported()).toMatchObject({ read, unchanged: read, leftOut });
        expect(await store.list()).toEqual(notes);
      }),
      { numRuns: pickByScale(400, 40) },
    );
  });
});
