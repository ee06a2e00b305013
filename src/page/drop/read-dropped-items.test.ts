import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Glob } from 'bun';
import { createZip } from '../../../test/integration/zip.ts';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { openSource } from '../../cli/commands/import/open-source.ts';
import { recognizeSource } from '../../formats/recognize-source.ts';
import { readDroppedItems } from './read-dropped-items.ts';

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
  const { source, head, close } = await openSource(path, process.stdin, new AbortController().signal);
  const recognition = recognizeSource(source, head);
  if (recognition.kind !== 'format') return undefined;
  const records = await Array.fromAsync(
    recognition.format.streamRecords({ ...recognition.source, findOriginKey: () => undefined }),
  );
  close?.();
  return records;
}

test('the page reads from every export what the command line reads', async () => {
  expect(exports.length).toBeGreaterThan(15);
  for (const path of exports.map((name) => join(fixtures, name))) {
    const expected = await readByCommand(path).catch(({ message }: Error) => message);
    const records = await readDroppedItems([await fileAt(path)], 'notes');

    if (typeof expected === 'string') expect(records).toMatchObject([{ kind: 'bad', reason: expected }]);
    else if (expected) expect(records).toEqual(expected);
    else expect(records).toMatchObject([{ kind: 'bad', reason: expect.stringContaining('which no format reads') }]);
  }
});

const programs = [...new Set(exports.map((path) => path.split('/')[0] ?? ''))];

/** Compresses the files of a fixture, without the databases that a browser does not read. */
async function zipFixture(program: string): Promise<Uint8Array<ArrayBuffer>> {
  const paths = [...new Glob('**/*').scanSync({ cwd: join(fixtures, program), dot: true })].sort();
  const texts = paths.filter((path) => !path.endsWith('.vscdb'));
  const files = texts.map(async (name) => ({ name, content: await Bun.file(join(fixtures, program, name)).bytes() }));
  return Uint8Array.from(createZip(await Promise.all(files)));
}

test.each(programs)('the page reads from an archive of %s what the command line reads', async (program) => {
  using folder = createTemporaryFolder();
  const zip = await zipFixture(program);
  const path = join(folder.path, 'export.zip');
  await Bun.write(path, zip);
  const { lastModified } = Bun.file(path);

  const records = await readDroppedItems([new File([zip], path, { lastModified })], 'notes');

  expect(records).toEqual((await readByCommand(path)) ?? []);
  expect(records.length).toBeGreaterThan(0);
});

test('an archive in an archive, and one that is damaged', async () => {
  const inner = createZip([{ name: 'One.md', content: 'first' }]);
  const nest = (part: Uint8Array) => file('all.zip', Uint8Array.from(createZip([{ name: 'Part.zip', content: part }])));

  const records = await readDroppedItems([nest(inner)], 'notes');
  const [damaged] = await readDroppedItems([nest(inner.subarray(0, -30))], 'notes');

  expect(records).toMatchObject([{ location: 'Part/One.md', note: { title: 'One', content: 'first' } }]);
  expect(damaged).toMatchObject({ reason: expect.stringMatching(/^Part.zip in all.zip is damaged/) });
});

test('an archive that unpacks to more than the page imports is left out', async () => {
  const zeros = new Uint8Array(70 * 2 ** 20);
  const bomb = Uint8Array.from(createZip([{ name: 'a.md', content: zeros }]));
  const encrypted = Uint8Array.from(createZip([{ name: 'a.md', content: 'x', isEncrypted: true }]));

  const records = await readDroppedItems([file('bomb.zip', bomb), file('secret.zip', encrypted)], 'notes');

  expect(records).toMatchObject([
    { kind: 'bad', reason: expect.stringContaining('at most 1,000 files or folders, 64 MiB') },
    { kind: 'bad', reason: 'secret.zip is encrypted. Unpack it, then import the folder' },
  ]);
});

test.each([undefined, 'gzip'] as const)(
  'a .tar is refused with what to do, compressed or not: %s',
  async (compress) => {
    const archive = await new Bun.Archive({ 'a.md': 'text' }, compress && { compress }).bytes();

    const reason = 'It is a .tar archive. Unpack it, or use “notes import”';
    expect(await readDroppedItems([file('vault.tar', archive)], 'notes')).toMatchObject([{ kind: 'bad', reason }]);
  },
);

test('a compressed text is read, and a damaged one told', async () => {
  const zipped = Uint8Array.from(gzipSync('a text'));

  const records = await readDroppedItems([file('a.txt.gz', zipped), file('b.txt.gz', zipped.subarray(0, -9))], 'notes');

  expect(records).toMatchObject([
    { kind: 'note', note: { title: 'a', content: 'a text' } },
    { kind: 'bad', reason: 'b.txt.gz is damaged: it cannot be unpacked' },
  ]);
});

const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

test.each([
  ['notes.txt', 'a text\n'],
  ['deploy.sh', 'ls\n'],
  ['without-ending', '#!/bin/sh\nls\n'],
  ['quoting.txt', 'A note:\n{ "category": "css" }\n'],
])('a text whose name says so, or a script, is a note: %s', async (name, content) => {
  const records = await readDroppedItems([file(name, content)], 'prompts');

  const category = name.endsWith('.sh') ? 'bash-commands' : 'prompts';
  expect(records).toMatchObject([{ kind: 'note', note: { content, category, group: 'first' } }]);
});

test('a text in UTF-16 is a note', async () => {
  const bytes = Uint8Array.from([0xff, 0xfe, ...Buffer.from('Grüße', 'utf16le')]);

  expect(await readDroppedItems([file('old.txt', bytes)], 'notes')).toMatchObject([{ note: { content: 'Grüße' } }]);
});

const paste = 'To make a note of its text, copy and paste it';

test.each([
  ['about.json', '{"name":"x"}', `It is a JSON object with the key name, which no format reads. ${paste}`],
  ['values.yaml', 'replicas: 2\n', `It is a YAML file with the key replicas, which no format reads. ${paste}`],
  ['page.html', '<!doctype html><p>Hi', `It is an HTML page, which no format reads. ${paste}`],
  ['unknown.abc', 'a text', `It is a text that ends with .abc, which no format reads. ${paste}`],
  ['tool.bin', '\0\x01', 'It is a binary file, which no format reads'],
  ['massCode.db', 'SQLite format 3\0\x10\0 snippet_contents', 'It is a database, which only “notes import” reads'],
  ['notes.zip', 'PK\x03\x04', expect.stringMatching(/^notes\.zip is damaged: it cannot be unpacked/)],
  ['empty.txt', '', 'It has no text'],
])('what the page cannot read is told in a sentence: %s', async (name, content, reason) => {
  expect(await readDroppedItems([file(name, content)], 'notes')).toMatchObject([{ location: name, reason }]);
});

test('an export of a program that is not read is told with what to export instead', async () => {
  const [record] = await readDroppedItems([file('my.enex', '<?xml version="1.0"?><en-export>')], 'notes');

  expect(record).toMatchObject({
    kind: 'bad',
    reason: expect.stringMatching(/^It is an export of Evernote, which is not read\. \S/),
  });
});
