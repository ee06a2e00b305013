import { describe, expect, test } from 'bun:test';
import { parseMarkdownTextOrReason } from './front-matter.ts';

/** What is read from a text with this front matter. */
const withFrontMatter = (frontMatter: string) => parseMarkdownTextOrReason(`---\n${frontMatter}\n---\n# Heading\n`);

const createLines = (count: number, createLine: (line: number) => string) =>
  Array.from({ length: count }, (_, line) => createLine(line)).join('\n');

describe('front matter that is no YAML map stays in the text, with a remark', () => {
  test.each([
    ['links', 'people: [[Ann]], [[Ben]]', 'line 2 is not valid YAML'],
    ['a colon', 'a: b\ntitle: b: c', 'line 3 is not valid YAML'],
    ['a template of Obsidian', 'title: {{title}}\ncreated: {{date}}, {{time}}', 'line 2 is not valid YAML'],
    ['the same key twice', 'a: b\nc: d\na: e', 'line 4 has a duplicate key'],
    ['a list', '- a\n- b', 'it is no YAML map'],
    ['65 levels', `a: ${'['.repeat(65)}${']'.repeat(65)}`, 'or 64 levels'],
    ['8,000 keys', createLines(8_000, (line) => `k${line}:`), 'more than 16384 parts'],
  ])('%s', (_, frontMatter, reason) => {
    expect(withFrontMatter(frontMatter)).toEqual({
      noteFields: {},
      content: `---\n${frontMatter}\n---\n# Heading\n`,
      body: '# Heading\n',
      remark: expect.stringContaining('Left in the text, as the front matter cannot be read: '),
    });
    expect(withFrontMatter(frontMatter)).toMatchObject({ remark: expect.stringContaining(reason) });
  });
});

test.each([
  ['a thematic break', '---\nText'],
  ['a heading between thematic breaks', '---\n# Heading\n---\nText\n'],
  ['TOML of Hugo', '+++\ntitle = "A: b"\ndate = 2024-03-01\n+++\nText\n'],
  ['JSON of Hugo', '{\n  "title": "A"\n}\nText\n'],
  ['tags of Bear', '# Title\n#work/now #a b#\n---\ntext\n---\n'],
])('a text with %s has no front matter, and no remark', (_, text) => {
  expect(parseMarkdownTextOrReason(text)).toEqual({ noteFields: {}, content: text, body: text });
});

describe('front matter of other programs', () => {
  test.each([
    'tags: [daily, work]',
    'tags:   [ "a",b ]   # both\n\n# Comment\naliases:\n    - \'one\'\n    -   two',
    'completed?: no\nlatitude: 52.50000000',
    "id: ffec2853-c0e0\ndesc: ''\nstub: false",
    '{tags: [a], title: Mine}',
  ])('is kept as written: %j', (frontMatter) => {
    expect(withFrontMatter(frontMatter)).toMatchObject({ content: `---\n${frontMatter}\n---\n# Heading\n` });
  });

  test('is kept without the lines of our fields', () => {
    const text =
      '--- \r\n# Mine\r\n"title": >-\r\n  A\r\n  b\r\ntags: [a,b]\r\ncolor: info  \r\nrank:  1\r\narchived: true\r\n...\r\nText';

    expect(parseMarkdownTextOrReason(text)).toEqual({
      noteFields: { title: 'A b', color: 'info', archived: 'true' },
      content: '--- \r\n# Mine\r\ntags: [a,b]\r\nrank:  1\r\n...\r\nText',
      body: 'Text',
    });
  });

  test.each(['"\\0"', '"\\ud800"', '[a]'])('keeps the title %s, which no note can have', (title) => {
    expect(withFrontMatter(`title: ${title}`)).toMatchObject({
      noteFields: {},
      content: `---\ntitle: ${title}\n---\n# Heading\n`,
      remark: expect.stringContaining('no field matches it: title'),
    });
  });

  test.each([
    ['a list of many tags', `tags:\n${createLines(3_000, (line) => `- t${line}`)}`],
    ['60 levels', `a: ${'['.repeat(60)}${']'.repeat(60)}`],
  ])('may have %s', (_, frontMatter) => {
    expect(withFrontMatter(`title: Mine\n${frontMatter}`)).toMatchObject({ noteFields: { title: 'Mine' } });
  });
});

describe('times of other programs', () => {
  /** Far from UTC, to see what is local. */
  function inNewYork(frontMatter: string) {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    try {
      const parsed = withFrontMatter(frontMatter);
      return typeof parsed === 'string' ? parsed : parsed.noteFields;
    } finally {
      process.env['TZ'] = zone ?? 'UTC';
    }
  }

  test.each([
    ['2024-03-01', '2024-03-01T05:00:00.000Z'],
    ['"2024-07-01"', '2024-07-01T04:00:00.000Z'],
    ['2024-03-01 10:20', '2024-03-01T15:20:00.000Z'],
    ['2024-03-01T10:20:30', '2024-03-01T15:20:30.000Z'],
    ['2024-03-01T10:20:30.5Z', '2024-03-01T10:20:30.500Z'],
    ['2024-03-01 10:20:30Z # of Joplin', '2024-03-01T10:20:30.000Z'],
    ["'2024-03-01 10:20:30 +0200'", '2024-03-01T08:20:30.000Z'],
    ['2024-03-01T10:20:30.123456789-08:00', '2024-03-01T18:20:30.123Z'],
    ['Tuesday, November 25th 2025, 8:42:34 pm', '2025-11-26T01:42:34.000Z'],
    ['1639425310320', '2021-12-13T19:55:10.320Z'],
  ])('%s is %s', (text, createdAt) => {
    expect(inNewYork(`created: ${text}`)).toEqual({ createdAt });
    expect(inNewYork(`createdAt: ${text}`)).toEqual({ createdAt });
  });

  test.each(['01/03/2024', '2024-02-31', '2024-03-01 25:00', 'May 1'])('%s is not guessed', (text) => {
    const frontMatter = `created: ${text}\nupdatedAt: ${text}`;

    expect(withFrontMatter(frontMatter)).toMatchObject({
      noteFields: {},
      content: `---\n${frontMatter}\n---\n# Heading\n`,
    });
  });

  test.each([
    ['date: 2024-03-01\ndate created: 2024-03-02', { createdAt: '2024-03-02T05:00:00.000Z' }],
    ['Date_Created: 2024-03-02', { createdAt: '2024-03-02T05:00:00.000Z' }],
    ['date: 2024-03-01', { createdAt: '2024-03-01T05:00:00.000Z' }],
    ['modified: 2024-03-01', { updatedAt: '2024-03-01T05:00:00.000Z' }],
    ['"date modified": 2024-03-02\nmodified: 2024-03-01', { updatedAt: '2024-03-02T05:00:00.000Z' }],
    ['updated: 2024-03-01\nlink: [[a]], [[b]]', { updatedAt: '2024-03-01T05:00:00.000Z' }],
    ['meta:\n  date: 2024-03-01', {}],
  ])('%j', (frontMatter, noteFields) => {
    expect(inNewYork(frontMatter)).toEqual(noteFields);
    expect(withFrontMatter(frontMatter)).toMatchObject({ content: `---\n${frontMatter}\n---\n# Heading\n` });
  });
});
