import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readFixture, readText } from '../../../test/fixtures/read.ts';
import { missing, numbered, textWith } from '../../../test/fixtures/words.ts';
import { masscode } from './masscode.ts';
import { snippetInVault } from './masscode-vault.ts';

const titles = ({ notes }: Awaited<ReturnType<typeof readFixture>>) =>
  notes.map(({ title, category, archived }) => `${title} | ${category}${archived ? ' | archived' : ''}`);

test("massCode 3: each fragment is a note of its language's category, and so is a description", async () => {
  const reading = await readFixture('masscode/db.json');

  expect(reading.format).toBe('masscode');
  expect(titles(reading)).toEqual([
    'Centre a box | css',
    'Deploy — description | notes',
    'Deploy — staging | bash-commands',
    'Deploy — Fragment 2 | bash-commands',
    'Deploy — config | notes',
    "print('🗑') | notes | archived",
  ]);
  expect(reading.rest).toEqual([
    'left out | snippet 2 of masscode/db.json, empty | It has no text',
    'left out | snippet 4 of masscode/db.json | It has no text',
    'bad | snippet 5 of masscode/db.json | Must be a JSON object',
  ]);
});

test('massCode 3: text and times stay as they are', async () => {
  const { notes } = await readFixture('masscode/db.json');

  expect(notes[0]).toEqual({
    title: 'Centre a box',
    content: '.box {\n  place-items: center; // 中央\n}\n',
    category: 'css',
    group: 'first',
    color: 'neutral',
    archived: false,
    createdAt: '2023-02-01T00:00:00.000Z',
    updatedAt: '2023-02-02T00:00:00.123Z',
  });
});

/** A database as massCode 4 leaves it: with a write-ahead log according to its header. */
async function databaseOf(sql: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'notes-masscode-'));
  try {
    const database = new Database(join(folder, 'massCode.db'));
    database.run(sql);
    database.close();
    return await readFile(join(folder, 'massCode.db'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('massCode 4: the database is read', async () => {
  const sql = await Bun.file(join(import.meta.dir, '../../../test/fixtures/masscode/v4.sql')).text();

  const reading = await readText('massCode.db', await databaseOf(sql));

  expect(reading.format).toBe('masscode');
  expect(titles(reading)).toEqual([
    'Rebase — one | bash-commands',
    'Rebase — two | bash-commands',
    'Gone — Fragment 2 | css | archived',
  ]);
  expect(reading.notes[1]?.content).toBe('git rebase --abort');
  expect(reading.rest).toEqual(['left out | snippet 2 of massCode.db, Fragment 1 | It has no text']);
});

test('massCode 4: other and damaged databases are refused with the reason', async () => {
  const view = await databaseOf(
    'CREATE VIEW snippets AS SELECT 1 AS id; CREATE TABLE snippet_contents (id, snippetId, label, language, value)',
  );
  const damaged = view.slice(0, 5000);

  const answers = Promise.all([view, damaged].map((bytes) => readText('massCode.db', bytes).catch(String)));

  for (const answer of await answers)
    expect(answer).toContain('massCode.db cannot be read as a database of massCode: ');
});

test('massCode 5: fragments, notes and the trash of a vault are read', async () => {
  const reading = await readFixture('masscode/vault');

  expect(reading.format).toBe('masscode');
  expect(titles(reading)).toEqual([
    'Old reset | css | archived',
    'Ideas | notes',
    'Add a user — description | notes',
    'Add a user | bash-commands',
    'Budget | notes',
    'Find: large files — GNU | bash-commands',
    'Find: large files — with a fence | notes',
  ]);
  expect(reading.notes.map(({ content }) => content)).toEqual([
    '* { margin: 0 }',
    '---\nstatus: draft\nlinks:\n  - "[[Find]]"\n---\n- one\n- two\n',
    'Needs the role `admin`.\n',
    [
      "curl -g -X POST '{{apiUrl}}/users?dry=true' \\",
      "  -H 'X-Trace: on' \\",
      "  -u 'ada:{{password}}' \\",
      "  -H 'Content-Type: application/json' \\",
      "  --data-raw '{\n  \"name\": \"O'\\''Hara\"\n}'",
      '# header X-Trace (follow it\n# in the logs)',
      '# off: header X-Debug: 1',
      '# off: parameter page=2',
    ].join('\n'),
    'rent = 900\nrent * 12',
    'find . -size +10M\n\n## Fragment: not one',
    '```sh\nls\n```',
  ]);
  expect(reading.rest).toEqual([
    'left out | masscode/vault | Files that this format does not read: .masscode/state.json',
  ]);
});

test.each([
  ['too costly to parse', Array.from({ length: 20_000 }, (_, key) => `k${key}: 1`).join('\n')],
  ['not a map', '[[one]], [[two]]'],
])('massCode 5: front matter that is %s stays in the text', (_, frontMatter) => {
  const text = `---\n${frontMatter}\n---\nkept`;

  const snippet = snippetInVault('Many.md', new TextEncoder().encode(text));

  expect(snippet).toEqual({ name: 'Many', content: [{ language: 'markdown', value: text }] });
});

test('massCode 5: a notebook that cannot be read is reported', async () => {
  const files = { '.state.yaml': 'x: 1', 'math/.state.yaml': 'sheets: 7' };
  const source = {
    name: 'vault',
    modifiedAt: new Date(),
    files: Object.keys(files),
    async *chunks(path = '') {
      yield new TextEncoder().encode(new Map(Object.entries(files)).get(path));
    },
  };

  const records = await Array.fromAsync(masscode.read(source));

  expect(records[0]).toEqual({
    kind: 'bad',
    location: 'math/.state.yaml',
    reason: 'It holds no sheets that can be read',
  });
});

test('massCode 5: every text has an origin of its own, also with one id and time in each space', async () => {
  const facts = 'id: 1\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000';
  const files = {
    '.masscode/state.json': '{}',
    'code/Shell/Tar.md': `---\n${facts}\ncontents: []\n---\n${'## Fragment: A\n```sh\ntar x\n```\n\n'.repeat(2)}`,
    'http/Get.md': `---\n${facts}\nmethod: GET\nurl: https://a.example\n---\nAbout it`,
    'math/.state.yaml': 'sheets: [{ id: 1, createdAt: 1767225600000, content: 1 + 1 }]',
    'notes/Ideas/Plan.md': `---\n${facts}\n---\nOne`,
  };
  const source = {
    name: 'vault',
    modifiedAt: new Date(),
    files: Object.keys(files),
    async *chunks(path = '') {
      yield new TextEncoder().encode(new Map(Object.entries(files)).get(path));
    },
  };

  const records = await Array.fromAsync(masscode.read(source));

  const time = '2026-01-01T00:00:00.000Z';
  expect(records.flatMap((record) => (record.kind === 'note' ? record.origin : []))).toEqual([
    `masscode:${time}/1/A`,
    `masscode:${time}/1/A (2)`,
    `masscode:http/${time}/1/description`,
    `masscode:http/${time}/1/request`,
    `masscode:math/${time}/1/Fragment 1`,
    `masscode:notes/${time}/1/Fragment 1`,
  ]);
});

test('massCode: a file without snippets is refused with a hint where they are', async () => {
  const answer = readText('db.json', '{"folders":[{"defaultLanguage":"css"}],"snippets":7}');

  await expect(answer).rejects.toThrow(
    'db.json holds no "snippets". massCode 3 keeps them in db.json, 4 in massCode.db',
  );
});

test('massCode 3: no word of a fragment or description is lost', async () => {
  const text = textWith('```', '## Fragment: A');
  const name = fc.constantFrom('', 'A', 'a name');
  const fragment = fc.record({ label: name, language: fc.constantFrom('sh', 'css', ''), value: text });
  const snippet = fc.record({
    name,
    isDeleted: fc.boolean(),
    description: fc.option(text),
    content: fc.array(fragment, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(snippet, { maxLength: 4 }), async (snippets) => {
      const { text, words } = numbered(JSON.stringify({ folders: [], snippets }));

      expect(missing(words, await readText('db.json', text))).toEqual([]);
    }),
  );
});
