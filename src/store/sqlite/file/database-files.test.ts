import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder } from '../../../../test/support/service.ts';
import { UncertainState } from '../failure.ts';
import { openDatabase } from './database.ts';
import { DatabaseFiles } from './database-files.ts';

function open() {
  const resources = new DisposableStack();
  const path = join(resources.use(temporaryFolder()).path, 'notes.db');
  const opened = openDatabase({ path, isChecked: false });
  resources.use(opened.resources);
  const other = resources.use(new Database(path));
  other.run('PRAGMA wal_autocheckpoint = 0');
  const files = resources.use(new DatabaseFiles(opened.db, path));
  return { path, db: opened.db, other, files, [Symbol.dispose]: () => resources.dispose() };
}

type Opened = ReturnType<typeof open>;

const put = (db: Database, bytes: number) =>
  db.run(
    `INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
       VALUES ('a', hex(zeroblob(?)), 'css', 'first', 'info', 0, 0)`,
    [bytes],
  );

test('takes each commit and checkpoint for a change by SQLite, of this connection and of others', () => {
  const steps = {
    write: ({ db }: Opened) => put(db, 10),
    'write much': ({ db }: Opened) => put(db, 30_000),
    checkpoint({ db, files }: Opened) {
      db.run('PRAGMA wal_checkpoint(PASSIVE)');
      files.readAfterCheckpoint();
    },
    'write elsewhere': ({ other }: Opened) => put(other, 5_000),
    'checkpoint elsewhere': ({ other }: Opened) => other.run('PRAGMA wal_checkpoint(PASSIVE)'),
    'empty the log elsewhere': ({ other }: Opened) => other.run('PRAGMA wal_checkpoint(TRUNCATE)'),
    verify: ({ files }: Opened) => files.verify(),
  };
  const names = Object.keys(steps) as (keyof typeof steps)[];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 12 }), (taken) => {
      using opened = open();
      for (const name of taken) steps[name](opened);
      opened.files.verify();
    }),
    { numRuns: 100 },
  );
});

test.each([0, 1])('another program may write and empty the log between two checks (%i times before)', (before) => {
  using opened = open();
  put(opened.db, 10);
  for (let time = 0; time <= before; time++) {
    opened.other.run('PRAGMA wal_checkpoint(TRUNCATE)');
    opened.files.verify();
    put(opened.other, 10);
  }
  opened.other.run('PRAGMA wal_checkpoint(TRUNCATE)');

  expect(() => opened.files.verify()).not.toThrow();
});

const replace = (path: string) => {
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
};

test.each<[string, string, (path: string) => void]>([
  ...['', '-wal', '-shm', '.lock'].flatMap((suffix): [string, string, (path: string) => void][] => [
    [suffix, 'deleted', rmSync],
    [suffix, 'replaced by a copy', replace],
  ]),
  ['-wal', 'emptied', truncateSync],
])('a file notes.db%s that is %s is found, and stays found', (suffix, _, change) => {
  using opened = open();
  put(opened.db, 10);
  opened.files.verify();

  change(opened.path + suffix);

  for (const _again of [1, 2]) expect(() => opened.files.verify()).toThrow(UncertainState);
});
