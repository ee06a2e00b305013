/** Downloaded export archives: read as the folder that they contain, and harmless. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useNotes } from '../support/notes.ts';
import { type ZipFile, zipOf } from './zip.ts';

const fixtures = join(import.meta.dir, '../fixtures');

function openFixture() {
  const store = useNotes();
  const importZip = (zip: Uint8Array) => store.notes(['import', store.write('export.zip', zip), '--json']);
  return { ...store, import: importZip };
}

const filesIn = (fixture: string, folder = ''): ZipFile[] =>
  readdirSync(join(fixtures, fixture), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name: folder + name, content: readFileSync(join(fixtures, fixture, name)) }));

describe('the archive of', () => {
  test.each([
    ['chatgpt', 'chatgpt/split', ''],
    ['claude', 'claude', ''],
    ['claude', 'claude', 'data-2026-01-01/'],
  ])('%s holds what its folder %s holds, below %p', async (format, fixture, folder) => {
    using here = openFixture();
    using unpacked = openFixture();

    const zipped = await here.import(zipOf(filesIn(fixture, folder)));
    const plain = await unpacked.notes(['import', join(fixtures, fixture), '--json']);

    expect(zipped.stderr).toContain(`export.zip (${format})`);
    const { added, bad } = JSON.parse(zipped.stdout);
    expect(JSON.parse(plain.stdout)).toMatchObject({ added, bad });
    expect(added).toBeGreaterThan(0);
  });
});

test('a piped archive is refused with advice', async () => {
  using here = openFixture();
  const archive = zipOf([{ name: 'notes.ndjson', content: '' }]);

  const result = await here.notes(['import', '-'], archive);

  const stderr = 'notes: standard input is a .zip archive. Save it as a file, and import that\n';
  expect(result).toEqual({ code: 2, stdout: '', stderr });
});

test('paths that lead out of the archive are only names', async () => {
  using here = openFixture();
  const names = ['../../../outside.md', '/etc/notes-outside.md', 'C:\\outside.md', 'a/../b.md'];

  const { code, stdout } = await here.import(zipOf(names.map((name) => ({ name, content: `text of ${name}` }))));

  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ added: 4 })]);
  expect((await here.all()).map(({ title }) => title).toSorted()).toEqual(['b', 'notes-outside', 'outside', 'outside']);
  expect(readdirSync(here.folder).filter((name) => name.endsWith('.md'))).toEqual([]);
});

describe('an archive is refused that', () => {
  const zeros = Buffer.alloc(64 * 2 ** 20);
  test.each([
    ['unpacks to far more than it is', zipOf([{ name: 'conversations.json', content: zeros }]), 'unpacks to far more'],
    ['is encrypted', zipOf([{ name: 'a.md', content: 'x', isEncrypted: true }]), 'is encrypted'],
    ['is truncated', zipOf([{ name: 'a.md', content: 'x' }]).subarray(0, -30), 'is damaged: it cannot be unpacked'],
  ])('%s', async (_, zip, reason) => {
    using here = openFixture();

    const { code, stderr } = await here.import(zip);

    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});
