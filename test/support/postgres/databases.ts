/**
 * PostgreSQL databases for tests, on the server at `TEST_DATABASE_URL`, whose role must be allowed to create databases;
 * else on a server that ends with the process. With `TEST_DISTRIBUTION`, that server is a Citus coordinator, and the
 * value is the distribution of the notes.
 */
import { SQL } from 'bun';
import { readConfig } from '../../../src/config.ts';
import type { NoteEngine } from '../../../src/domain/store.ts';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/open.ts';
import { createOnCitus } from './citus.ts';
import { startPostgres } from './server.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Runs statements as its owner. */
  run<Row>(statements: string): Promise<Row[]>;
}

let server: Promise<string> | undefined;
let created = 0;

/** The URL of the first database of the server. */
const serverUrl = () => (server ??= ownServer());

async function ownServer(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  return given ?? (await startPostgres({ settings: { max_connections: 300 } })).url();
}

/** An empty database, dropped on disposal. */
export async function createDatabase(): Promise<TestDatabase> {
  const home = await serverUrl();
  const name = `notes_test_${process.pid}_${++created}`;
  const distribution = process.env['TEST_DISTRIBUTION'];
  if (distribution !== undefined) return createOnCitus(home, name, distribution);
  await runOn(home, `CREATE DATABASE ${name}`);
  const url = new URL(home);
  url.pathname = name;
  return {
    url: url.href,
    run: (statements) => runOn(url.href, statements),
    [Symbol.asyncDispose]: async () => void (await runOn(home, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** Runs statements on a new connection; returns the rows of the last one. */
export async function runOn<Row>(url: string, statements: string): Promise<Row[]> {
  await using sql = new SQL(url.replace('?distribution=', '?application_name='), { max: 1 });
  const results: Row[] | Row[][] = await sql.unsafe(statements).simple();
  return (Array.isArray(results[0]) ? results.at(-1) : results) as Row[];
}

export function optionsFor(url: string): PostgresOptions {
  const { database } = readConfig({ DATABASE_URL: url });
  if (database.engine !== 'postgres') throw new Error(`${url} is no address of PostgreSQL`);
  return { address: database };
}

const idle: TestDatabase[] = [];

/** An empty store on a database reused between tests, as emptying is faster than creating one. */
export async function openEmptyPostgres(options: {
  now?: (() => number) | undefined;
  cacheBytes?: number;
  maxVersions?: number;
}): Promise<NoteEngine> {
  const known = idle.pop();
  const database = known ?? (await createDatabase());
  if (known) await known.run('TRUNCATE notes, note_versions, note_origins, group_labels RESTART IDENTITY');
  const store = await openPostgres({ ...optionsFor(database.url), ...options });
  const closeStore = store[Symbol.asyncDispose].bind(store);
  return Object.assign(store, {
    async [Symbol.asyncDispose]() {
      await closeStore();
      idle.push(database);
    },
  });
}
