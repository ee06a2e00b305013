import { closeSync, openSync, readSync } from 'node:fs';

/** How often SQLite has restarted the log of a database: https://www.sqlite.org/fileformat2.html#walformat */
export function readLogRestartCount(databasePath: string): number {
  const log = openSync(`${databasePath}-wal`, 'r');
  const header = Buffer.alloc(32);
  readSync(log, header, 0, header.length, 0);
  closeSync(log);
  return header.readUInt32BE(12);
}
