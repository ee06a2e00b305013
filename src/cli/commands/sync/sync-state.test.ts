import { expect, test } from 'bun:test';
import { chmodSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../../../../test/support/service.ts';
import { encodeFileStats, SyncState } from './sync-state.ts';

const taken = { stamp: '1', origins: { 'file:/notes/a.md': 'x' } };
const stored = new Map([['file:/notes/a.md', 'x']]);

/** State of a store, in an empty home folder. */
function newHome() {
  const folder = createTemporaryFolder();
  const open = (storeName = '/notes.db') => new SyncState({ XDG_STATE_HOME: folder.path }, storeName);
  const files = () => join(folder.path, 'notes', 'sync');
  return { open, files, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test('a file is current while its stamp is the same and the store has what was imported from it', () => {
  using home = newHome();
  const state = home.open();
  state.recordImport('/notes/a.md', taken);

  expect(state.isUnchangedAndStillStored('/notes/a.md', '1', stored)).toBe(true);
  expect(state.isUnchangedAndStillStored('/notes/a.md', '2', stored)).toBe(false);
  expect(state.isUnchangedAndStillStored('/notes/a.md', '1', new Map([['file:/notes/a.md', 'y']]))).toBe(false);
  expect(state.isUnchangedAndStillStored('/notes/a.md', '1', new Map())).toBe(false);
  expect(state.isUnchangedAndStillStored('/notes/b.md', '1', stored)).toBe(false);
});

test('the state that was saved is read again, for the same store only', async () => {
  using home = newHome();
  const state = home.open();
  state.recordImport('/notes/a.md', taken);

  expect(home.open().hasImportedOrigin('file:/notes/a.md')).toBe(false);
  await state.save();

  expect(home.open().isUnchangedAndStillStored('/notes/a.md', '1', stored)).toBe(true);
  expect(home.open().hasImportedOrigin('file:/notes/a.md')).toBe(true);
  expect(home.open().hasImportedOrigin('toString')).toBe(false);
  expect(home.open('/other.db').hasImportedOrigin('file:/notes/a.md')).toBe(false);
});

test.each(['', '{"/notes/a.md":', '[]', 'null'])(
  'a damaged file, %p, counts as none, and can be replaced',
  async (text) => {
    using home = newHome();
    await home.open().save();
    const [name = ''] = readdirSync(home.files());
    writeFileSync(join(home.files(), name), text);

    const state = home.open();

    expect(state.isUnchangedAndStillStored('/notes/a.md', '1', stored)).toBe(false);
    state.recordImport('/notes/a.md', taken);
    await state.save();
    expect(home.open().isUnchangedAndStillStored('/notes/a.md', '1', stored)).toBe(true);
  },
);

test('files that are gone from a folder are forgotten, and those of others are not', () => {
  using home = newHome();
  const state = home.open();
  const paths = ['/notes/', '/notes/a.md', '/notes/below/b.md', '/notes2/c.md', '/notes.md'];
  for (const path of paths) state.recordImport(path, { stamp: '1', origins: { [path]: 'x' } });

  state.removeOtherFilesBelow('/notes', new Set(['/notes/below/b.md']));

  expect(paths.filter((path) => state.hasImportedOrigin(path))).toEqual([
    '/notes/below/b.md',
    '/notes2/c.md',
    '/notes.md',
  ]);
});

test('the stamp of a file changes with its text and its permissions, also if its time is set back', () => {
  using folder = createTemporaryFolder();
  const path = join(folder.path, 'a.md');
  const stamp = () => encodeFileStats(statSync(path));
  writeFileSync(path, 'one');
  const { atime, mtime } = statSync(path);
  const stamps = [stamp(), stamp()];
  writeFileSync(path, 'two');
  utimesSync(path, atime, mtime);
  stamps.push(stamp());
  chmodSync(path, 0o400);
  stamps.push(stamp());

  expect(stamps[1]).toBe(stamps[0]);
  expect(new Set(stamps).size).toBe(3);
});
