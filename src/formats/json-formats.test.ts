import { describe, expect, spyOn, test } from 'bun:test';
import { jsonFormat, ndjsonFormat } from './json-formats.ts';
import type { NoteFormat } from './note-format.ts';
import type { Source } from './source.ts';

const note = {
  id: 1,
  title: 'a',
  content: 'b',
  category: 'css',
  group: 'first',
  color: 'info',
  archived: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const line = JSON.stringify(note);

const createTextSource = (text: string): Source => ({
  name: 'file.ndjson',
  modifiedAt: new Date('2026-02-01T00:00:00.000Z'),
  files: [],
  async *streamChunks() {
    yield Buffer.from(text);
  },
});

const readRecords = (format: NoteFormat, text: string) => Array.fromAsync(format.streamRecords(createTextSource(text)));

describe('lines', () => {
  test('are read despite blank lines, and each bad one is reported by its number', async () => {
    const { id: _, ...draft } = note;
    const wrong = JSON.stringify({ ...note, color: 'pink' });
    const lines = [`\ufeff${line}\r`, '', '{"id":', '[]', 'null', wrong, '{}', JSON.stringify(draft)];

    const records = await readRecords(ndjsonFormat, lines.join('\n'));

    expect(records).toMatchObject([
      { kind: 'note', location: 'line 1', note },
      { kind: 'bad', location: 'line 3', reason: 'Must be valid JSON' },
      { kind: 'bad', location: 'line 4', reason: 'Must be a JSON object' },
      { kind: 'bad', location: 'line 5', reason: 'Must be a JSON object' },
      { kind: 'bad', location: 'line 6', reason: expect.stringContaining('Invalid color') },
      { kind: 'bad', location: 'line 7', reason: expect.stringContaining('Missing required fields') },
      { kind: 'note', location: 'line 8', note: draft },
    ]);
  });
});

describe('a note that was written by hand', () => {
  const { id: _, archived: __, createdAt: ___, updatedAt: ____, ...draft } = note;
  const time = '2026-02-03T00:00:00.000Z';

  test.each([
    ['without times has those of its file, and is not archived', {}, ['2026-02-01T00:00:00.000Z', undefined], false],
    ['with one time has it twice', { createdAt: time, archived: true }, [time, time], true],
    ['may have only the time of its change', { updatedAt: time }, [time, time], false],
  ] as const)('%s', async (_, given, [createdAt, updatedAt = createdAt], archived) => {
    const text = JSON.stringify([{ ...draft, ...given }]);

    const read = [await readRecords(jsonFormat, text), await readRecords(ndjsonFormat, text.slice(1, -1))];

    const expected = { ...draft, archived, createdAt, updatedAt };
    expect(read).toMatchObject([[{ kind: 'note', note: expected }], [{ kind: 'note', note: expected }]]);
  });

  test('needs all fields that a new note needs, and times that are some', async () => {
    const wrong = [{ title: 'a' }, { ...draft, createdAt: 'soon' }].map((one) => JSON.stringify(one));

    const records = await readRecords(ndjsonFormat, wrong.join('\n'));

    expect(records).toMatchObject([
      { kind: 'bad', reason: 'Missing required fields: content, category, group, color' },
      { kind: 'bad', reason: expect.stringContaining('Invalid createdAt') },
    ]);
  });
});

test('the place of a pinned note is read, and what is no place is said', async () => {
  const lines = [1, 100, 0, 1.5, 'x', null].map((pin) => JSON.stringify({ ...note, pin }));

  const records = await readRecords(ndjsonFormat, lines.join('\n'));

  const remark = 'Not pinned, as its pin is no place from 1 on';
  const read = records.map((record) => (record.kind === 'note' ? (record.pin ?? record.remark) : record));
  expect(read).toEqual([1, 100, remark, remark, remark, remark]);
});

test.each([
  ['levels', `{"title":${'['.repeat(10_000_000)}`],
  ['texts', `{"title":[${'{},'.repeat(3_000_000)}{}]}`],
])('of a line with millions of %s only that it is too costly is found out', async (what, costly) => {
  using parse = spyOn(JSON, 'parse');

  const records = await readRecords(ndjsonFormat, `${costly}\n${line}`);

  expect(records).toMatchObject([
    { kind: 'bad', location: 'line 1', reason: expect.stringContaining(what) },
    { kind: 'note', location: 'line 2' },
  ]);
  expect(parse.mock.calls.filter(([text]) => text.length > 1e6)).toEqual([]); // that takes 4 s and more
});

describe('an array', () => {
  test('is read note by note, and each bad one is reported by its position', async () => {
    expect(await readRecords(jsonFormat, `[${line}, {}, 1]`)).toMatchObject([
      { kind: 'note', location: 'note 1', note },
      { kind: 'bad', location: 'note 2' },
      { kind: 'bad', location: 'note 3' },
    ]);
  });

  test('that ends early is refused after its complete notes', async () => {
    const records: unknown[] = [];

    const reading = async () => {
      for await (const record of jsonFormat.streamRecords(createTextSource(`[${line},${line.slice(0, 9)}`)))
        records.push(record);
    };

    await expect(reading()).rejects.toThrow('The JSON array ended before it was complete');
    expect(records).toHaveLength(1);
  });
});

describe('what it looks like', () => {
  const long = 'x'.repeat(70_000);

  test.each([
    ['a line', line, 'ndjson'],
    ['a draft without id', JSON.stringify({ content: 'b', category: 'css' }), 'ndjson'],
    ['lines of which the first is none', `rubbish\n${line}`, 'ndjson'],
    ['a long line', JSON.stringify({ ...note, content: long }).slice(0, 65_536), 'ndjson'],
    ['an array', `[${line}]`, 'json'],
    ['an array with a long note', JSON.stringify([{ ...note, content: long }]).slice(0, 65_536), 'json'],
    ['a note with a wrong category', JSON.stringify({ ...note, category: 'blog' }), 'ndjson'],
    ['an empty array', ' [ ]\n', 'json'],
    ['a conversation about notes', JSON.stringify([{ title: 'x', text: line }]), 'neither'],
    ['a text', 'Some text', 'neither'],
  ])('%s', (_, head, expected) => {
    const source = createTextSource(head);

    const recognized = [ndjsonFormat, jsonFormat]
      .filter((format) => format.recognizes(source, head))
      .map(({ name }) => name);

    expect(recognized.join() || 'neither').toBe(expected);
  });

  test('a text that quotes a note is none', () => {
    const text = `As the service returns it:\n${line}\n`;

    expect(ndjsonFormat.recognizes({ ...createTextSource(text), name: 'file.txt' }, text)).toBe(false);
  });
});
