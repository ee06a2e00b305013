import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { openSource } from '../../cli/commands/import/open-source.ts';
import { recognizeSource } from '../../formats/recognize-source.ts';
import { readFiles } from './read-files.ts';

const fixtures = join(import.meta.dir, '../../../test/fixtures');
const exports = [
  ...new Glob('*/**/*.{json,jsonl,code-snippets,md,yml,toml,cheat,html,txt}').scanSync({ cwd: fixtures, dot: true }),
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
    else expect(records).toMatchObject([{ kind: 'bad', reason: expect.stringContaining('which no format reads') }]);
  }
});

const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

test.each([
  ['notes.txt', 'a text\n'],
  ['deploy.sh', 'ls\n'],
  ['without-ending', '#!/bin/sh\nls\n'],
  ['quoting.txt', 'A note:\n{ "category": "css" }\n'],
])('a text whose name says so, or a script, is a note: %s', async (name, content) => {
  const records = await readFiles([file(name, content)], 'prompts');

  const category = name.endsWith('.sh') ? 'bash-commands' : 'prompts';
  expect(records).toMatchObject([{ kind: 'note', note: { content, category, group: 'first' } }]);
});

test('a text in UTF-16 is a note', async () => {
  const bytes = Uint8Array.from([0xff, 0xfe, ...Buffer.from('Grüße', 'utf16le')]);

  expect(await readFiles([file('old.txt', bytes)], 'notes')).toMatchObject([{ note: { content: 'Grüße' } }]);
});

const paste = 'To make a note of its text, copy and paste it';

test.each([
  ['about.json', '{"name":"x"}', `It is a JSON object with the key name, which no format reads. ${paste}`],
  ['values.yaml', 'replicas: 2\n', `It is a YAML file with the key replicas, which no format reads. ${paste}`],
  ['page.html', '<!doctype html><p>Hi', `It is an HTML page, which no format reads. ${paste}`],
  ['unknown.abc', 'a text', `It is a text that ends with .abc, which no format reads. ${paste}`],
  ['tool.bin', '\0\x01', 'It is a binary file, which no format reads'],
  ['massCode.db', 'SQLite format 3\0\x10\0 snippet_contents', 'It is a database, which only “notes import” reads'],
  ['notes.zip', 'PK\x03\x04', 'It is an archive. Unpack it, or use “notes import”'],
  ['empty.txt', '', 'It has no text'],
])('what the page cannot read is told in a sentence: %s', async (name, content, reason) => {
  expect(await readFiles([file(name, content)], 'notes')).toMatchObject([{ location: name, reason }]);
});

test('an export of a program that is not read is told with what to export instead', async () => {
  const [record] = await readFiles([file('my.enex', '<?xml version="1.0"?><en-export>')], 'notes');

  expect(record).toMatchObject({
    kind: 'bad',
    reason: expect.stringMatching(/^It is an export of Evernote, .*Joplin/),
  });
});
