import { Database } from 'bun:sqlite';
import { openSqlite } from '../../../src/store/open-sqlite.ts';

/** Opens a store in a file on this thread, as commands do, which takes a quarter of the time. */
export const openFile = (path: string) => openSqlite({ path, openedBy: 'command' });

/** Fills the first note with this many MB, so that a copy takes a while. */
export function enlargeFirstNote(path: string, megabytes: number): void {
  using db = new Database(path);
  db.run("UPDATE notes SET content = printf('%.*c', ?, 'x') WHERE id = 1", [megabytes * 2 ** 20]);
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
}
