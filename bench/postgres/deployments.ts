/** Deployments for the benchmark on PostgreSQL: one or several instances on a database of one server. */
import type { NoteDraft } from '../../src/core/note.ts';
import { runOn } from '../../test/support/postgres/databases.ts';
import type { PostgresServer } from '../../test/support/postgres/server.ts';
import { fill, idsAt } from '../loads/fill.ts';
import { type Host, type Server, startServiceOn } from '../machine/processes.ts';

/** Instances of the service on a database; they end on disposal. */
export interface Deployment extends AsyncDisposable {
  readonly name: string;
  /** The URL of the database. */
  readonly database: string;
  readonly first: Server;
  readonly instances: readonly Server[];
  /** The process id of the postmaster. */
  readonly postgres: number;
}

/** The number of instances by deployment. */
export const deployments = { 'one instance': 1, 'two instances': 2 } as const;
export const maxInstances = Math.max(...Object.values(deployments));

/** Starts the instances on a new database of the server. */
export async function deploy(host: Host, server: PostgresServer, name: keyof typeof deployments): Promise<Deployment> {
  const database = server.url(`notes_${deployments[name]}`);
  await runOn(server.url(), `CREATE DATABASE notes_${deployments[name]}`);
  await using starting = new AsyncDisposableStack();
  const first = starting.use(await startServiceOn(host, database));
  const instances = [first];
  while (instances.length < deployments[name]) {
    instances.push(starting.use(await startServiceOn(host, database)));
  }
  const started = starting.move();
  const end = () => started.disposeAsync();
  return { name, database, first, instances, postgres: server.pid, [Symbol.asyncDispose]: end };
}

/**
 * Stores the drafts, and runs the maintenance that PostgreSQL would do within the next minutes. Throws unless all
 * instances list them.
 */
export async function fillDeployment(deployment: Deployment, drafts: readonly NoteDraft[]): Promise<void> {
  const { first, instances, database } = deployment;
  await fill(first.url, drafts);
  for (const { url } of instances) {
    const { length } = await idsAt(url, '/api/notes');
    if (length !== drafts.length) throw new Error(`One of ${deployment.name} lists ${length} notes`);
  }
  await runOn(database, 'VACUUM (ANALYZE) notes');
  await runOn(database, 'CHECKPOINT');
}

export async function countNotes({ database }: Deployment): Promise<number> {
  const [row] = await runOn<{ notes: string }>(database, 'SELECT count(*) AS notes FROM notes');
  return Number(row?.notes);
}

const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'shared_buffers'] as const;

/** The version of a server, and its settings that affect durability and speed. */
export async function describePostgres(server: PostgresServer): Promise<{ version: string; settings: string }> {
  const known = ['server_version', ...settings];
  const select = `SELECT ${known.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
  const [row = {}] = await runOn<Record<string, string>>(server.url(), select);
  const shown = settings.map((name) => `\`${name} = ${row[name]}\``).join(', ');
  return { version: `PostgreSQL ${row['server_version']}`, settings: shown };
}

/** The number of WAL syncs since the start of the server, by its own statistics. */
export async function countLogSyncs(server: PostgresServer): Promise<number> {
  const [row] = await runOn<{ syncs: string }>(
    server.url(),
    "SELECT sum(fsyncs) AS syncs FROM pg_stat_io WHERE object = 'wal'",
  );
  return Number(row?.syncs);
}
