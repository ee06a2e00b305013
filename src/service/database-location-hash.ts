import { statSync } from 'node:fs';
import type { DatabaseAddress } from '../config/settings-table.ts';

/**
 * Returns a text that is the same for all programs that use a database, and does not tell where it is: so `notes
 * doctor` sees whether a service uses the database it checks. A file is identified by device and inode, as it may have
 * several paths; PostgreSQL by its address, so two addresses of one server count as two databases. Returns undefined
 * for a missing file and for `:memory:`.
 */
export function hashDatabaseLocationIfExists(database: DatabaseAddress): string | undefined {
  const place =
    database.engine === 'sqlite' ? readFileIdentityIfExists(database.path) : formatPostgresAddress(database);
  return place && Bun.CryptoHasher.hash('sha256', `notes database ${place}`, 'hex').slice(0, 16);
}

function readFileIdentityIfExists(path: string): string | undefined {
  const file = path === ':memory:' ? undefined : statSync(path, { throwIfNoEntry: false });
  return file && `${file.dev}:${file.ino}`;
}

const formatPostgresAddress = ({ hostname, port, database }: Extract<DatabaseAddress, { engine: 'postgres' }>) =>
  `${hostname}:${port}/${database}`;
