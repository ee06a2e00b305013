/**
 * PostgreSQL databases for tests, on the server at `TEST_DATABASE_URL`, whose role must be allowed to create databases;
 * else on a server that ends with the process. With `TEST_DISTRIBUTION`, that server is a Citus coordinator, and the
 * value is the distribution of the notes.
 */
import { SQL } from 'bun';
import { readConfigAndWarn } from '../../../src/config/config.ts';
import type { NoteEngine } from '../../../src/core/store.ts';
import { openPostgres } from '../../../src/store/open-postgres.ts';
import type { PostgresOptions } from '../../../src/store/postgres/open-postgres-database.ts';
import { isEventuallyTrue } from '../eventually.ts';
import { databaseTimeoutMs } from './deadline.ts';
import { startPostgres } from './server.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Runs statements as its owner. */
  run<Row>(statements: string): Promise<Row[]>;
}

export interface CitusDatabase extends TestDatabase {
  /** Its URLs on the workers. */
  readonly workers: readonly string[];
}

interface Node {
  readonly host: string;
  readonly port: number;
}

let server: Promise<string> | undefined;
let created = 0;

/** The URL of the first database of the server. */
const getServerUrl = () => (server ??= startOwnServer());

async function startOwnServer(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  return given ?? (await startPostgres({ settings: { max_connections: 300 } })).url();
}

/** An empty database, dropped on disposal. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const home = await getServerUrl();
  const name = `notes_test_${process.pid}_${++created}`;
  const distribution = process.env['TEST_DISTRIBUTION'];
  if (distribution !== undefined) return createCitusDatabase(home, name, distribution);
  await runStatements(home, `CREATE DATABASE ${name}`);
  const url = new URL(home);
  url.pathname = name;
  return {
    url: url.href,
    run: (statements) => runStatements(url.href, statements),
    [Symbol.asyncDispose]: async () => void (await runStatements(home, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

const selectNodes = `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`;

/**
 * An empty database on a Citus cluster, whose coordinator already lists the workers. Its URL contains the distribution,
 * if any. `home`: the URL of the first database.
 */
export async function createCitusDatabase(home: string, name: string, distribution?: string): Promise<CitusDatabase> {
  const nodes = await runStatements<Node>(home, selectNodes);
  const addresses = (database: string) =>
    nodes.map(({ host, port }) => {
      const url = new URL(home);
      url.host = `${host}:${port}`;
      url.pathname = database;
      return url.href;
    });
  const homes = addresses(new URL(home).pathname);
  const [url = home, ...workers] = addresses(name);
  for (const node of homes) await runStatements(node, `CREATE DATABASE ${name}`);
  for (const address of [url, ...workers]) await runStatements(address, 'CREATE EXTENSION citus');
  const joined = nodes.map(
    ({ host, port }, n) => `SELECT ${n === 0 ? 'citus_set_coordinator_host' : 'citus_add_node'}('${host}', ${port})`,
  );
  await runStatements(url, joined.join('; '));
  return {
    url: distribution === undefined ? url : `${url}?distribution=${distribution}`,
    workers,
    run: (statements) => runStatements(url, statements),
    async [Symbol.asyncDispose]() {
      for (const node of homes) await runStatements(node, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`); // nor Citus's own
      for (const node of homes) await runStatements(node, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Runs statements on a new connection; returns the rows of the last one. */
export async function runStatements<Row>(url: string, statements: string): Promise<Row[]> {
  await using sql = new SQL(url.replace('?distribution=', '?application_name='), { max: 1 });
  const results: Row[] | Row[][] = await sql.unsafe(statements).simple();
  return (Array.isArray(results[0]) ? results.at(-1) : results) as Row[];
}

/** The options of a store at this address, with a deadline for busy machines. */
export function createPostgresOptions(url: string): PostgresOptions {
  const { database } = readConfigAndWarn({ DATABASE_URL: url });
  if (database.engine !== 'postgres') throw new Error(`${url} is no address of PostgreSQL`);
  return { address: database, timeoutMs: databaseTimeoutMs };
}

const idle: TestDatabase[] = [];

/** An empty store on a database reused between tests, as emptying is faster than creating one. */
export async function openEmptyPostgres(options: {
  now?: (() => number) | undefined;
  cacheBytes?: number;
  maxVersions?: number;
}): Promise<NoteEngine> {
  const known = idle.pop();
  const database = known ?? (await createEmptyDatabase());
  if (known)
    await known.run(
      'TRUNCATE notes, note_versions, note_origins, group_labels, category_labels, ended_sessions, pins RESTART IDENTITY',
    );
  const store = await openPostgres({ ...createPostgresOptions(database.url), ...options });
  const closeStore = store[Symbol.asyncDispose].bind(store);
  return Object.assign(store, {
    async [Symbol.asyncDispose]() {
      await closeStore();
      idle.push(database);
    },
  });
}

/** Until then, a transaction elsewhere on the server that began before the log has lists read, and events reset. */
export async function waitForWholeChangeLog(
  { run }: Pick<TestDatabase, 'run'>,
  log = process.env['TEST_DISTRIBUTION'] === undefined ? 'note_changes' : 'distributed_changes',
): Promise<void> {
  const select = `SELECT before <= pg_snapshot_xmin(pg_current_snapshot()) AS whole FROM ${log}_pruned`;
  const isWhole = async () => (await run<{ whole: boolean }>(select))[0]?.whole === true;
  if (!(await isEventuallyTrue(isWhole))) throw new Error('A transaction on the server does not end');
}
