import { expect, test } from 'bun:test';
import { readText } from '../../test/fixtures/read.ts';
import { createPortableNote } from '../../test/support/sample-notes.ts';
import { formats } from './formats.ts';

const empty = { name: 'a', modifiedAt: new Date(), files: [], async *streamChunks() {} };

test('our own notes that quote an export are recognized as ours', async () => {
  const content = '[{"mapping":{"a":1},"chat_messages":[],"snippets":[],"isDeleted":0,"rowStatus":"","createdTs":0}]';
  const note = createPortableNote(1, { content });

  const readings = await Promise.all([
    readText('a.json', JSON.stringify([note])),
    readText('a.jsonl', JSON.stringify(note)),
  ]);

  expect(readings.map(({ format }) => format)).toEqual(['json', 'ndjson']);
});

test.each([
  ['api.md', 'markdown'],
  ['fixture.js', 'code'],
])('a text that quotes a note is what its ending says: %s', async (name, format) => {
  const quoting = '# Notes\n\n```json\n{ "category": "css", "title": "a" }\n```\n';

  const { format: found, notes } = await readText(name, quoting);

  expect([found, notes.map(({ content }) => content)]).toEqual([format, [quoting]]);
});

test.each(['', '[]', '{}', '[{}]', 'null', '\0\0', '[[[[', '{"type":"user"}', 'SQLite format 3\0'])(
  'no format of another program takes %j for its own',
  (head) => {
    const takers = formats.filter((format) => format.recognizes(empty, head)).map(({ name }) => name);

    expect(takers.filter((name) => name !== 'ndjson' && name !== 'json')).toEqual([]);
  },
);
