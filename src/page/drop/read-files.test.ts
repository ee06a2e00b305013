import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { openSource } from '../../cli/commands/import/open-source.ts';
import { recognizeSource } from '../../formats/recognize-source.ts';
import { readFiles } from './read-files.ts';

const fixtures = join(import.meta.dir, '../../../test/fixtures');
const exports = [
  ...new Glob('*/**/*.{json,jsonl,code-snippets,md,yml,toml,cheat}').scanSync({ cwd: fixtures, dot: true }),
].sort();

/** A file, named and dated as on the disk. */
async function fileAt(path: string): Promise<File> {
  const { size, lastModified } = Bun.file(path);
  return new File([await Bun.file(path).slice(0, size).bytes()], path, { lastModified });
}

/** What `notes import` reads from a file; undefined if it takes it for no format. */
async function readByCommand(path: string) {
  const { source, head } = await openSource(path, process.stdin, new AbortController().signal);
  const recognition = recognizeSource(source, head);
  if (recognition.kind !== 'format') return undefined;
  return Array.fromAsync(recognition.format.read({ ...source, findOrigin: () => undefined }));
}

test('the page reads from every export what the command line reads', async () => {
  expect(exports.length).toBeGreaterThan(15);
  for (const path of exports.map((name) => join(fixtures, name))) {
    const expected = await readByCommand(path).catch(({ message }: Error) => message);
    const records = await readFiles([await fileAt(path)], 'notes');

    if (typeof expected === 'string') expect(records).toMatchObject([{ kind: 'bad', reason: expected }]);
    else if (expected) expect(records).toEqual(expected);
    else expect(records).toMatchObject([{ kind: 'note', note: { content: await Bun.file(path).text() } }]);
  }
});

const file = (name: string, content: string) => new File([content], name);

test.each([
  ['notes.txt', 'a text\n', 'a text\n'],
  ['unknown.abc', '{"name":"x"}', '{"name":"x"}'],
  ['about.json', '{"name":"x"}', '{"name":"x"}'],
  ['quoting.txt', 'A note:\n{ "category": "css" }\n', 'A note:\n{ "category": "css" }\n'],
])('a text in no format is a note: %s', async (name, text, content) => {
  const records = await readFiles([file(name, text)], 'prompts');

  expect(records).toMatchObject([{ kind: 'note', note: { content, category: 'prompts', group: 'first' } }]);
});

test.each([
  ['massCode.db', 'SQLite format 3\0\x10\0 snippet_contents', 'It is a database, which only “notes import” reads'],
  ['notes.zip', 'PK\x03\x04', 'It is an archive. Unpack it, or use “notes import”'],
  ['tool.bin', '\0\x01', 'It is not UTF-8 text (.bin)'],
  ['empty.txt', '', 'It has no text'],
])('what the page cannot read is told in a sentence: %s', async (name, content, reason) => {
  expect(await readFiles([file(name, content)], 'notes')).toMatchObject([{ location: name, reason }]);
});
