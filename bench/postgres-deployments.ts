/** What is measured on PostgreSQL: the service, once or several times, on a database of one server. */
import type { NoteDraft } from '../src/domain/note.ts';
import { runOn } from '../test/support/postgres/databases.ts';
import type { PostgresServer } from '../test/support/postgres/server.ts';
import { fill, idsAt } from './fill.ts';
import { type Host, type Server, startServiceOn } from './processes.ts';

/** Instances of the service on a database of their own. They end with their scope. */
export interface Deployment extends AsyncDisposable {
  readonly name: string;
  /** The address of the database. */
  readonly database: string;
  readonly first: Server;
  readonly instances: readonly Server[];
  /** The process that all others of PostgreSQL come from. */
  readonly postgres: number;
}

/** How many instances each deployment has, by its name. */
export const deployments = { 'one instance': 1, 'two instances': 2 } as const;
export const mostInstances = Math.max(...Object.values(deployments));

/** Starts so many instances on a new database of the server. */
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
 * Stores the drafts, and has PostgreSQL do at once what it would do of itself within the next minutes. Throws unless all
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

/** How many notes its database holds. */
export async function countNotes({ database }: Deployment): Promise<number> {
  const [row] = await runOn<{ notes: string }>(database, 'SELECT count(*) AS notes FROM notes');
  return Number(row?.notes);
}

const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'shared_buffers'] as const;

/** The version of a server, and those of its settings that decide about durability and speed. */
export async function describePostgres(server: PostgresServer): Promise<{ version: string; settings: string }> {
  const known = ['server_version', ...settings];
  const select = `SELECT ${known.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
  const [row = {}] = await runOn<Record<string, string>>(server.url(), select);
  const shown = settings.map((name) => `\`${name} = ${row[name]}\``).join(', ');
  return { version: `PostgreSQL ${row['server_version']}`, settings: shown };
}

/** How often the server has told the disk to keep its log since it was started, as it counts itself. */
export async function countLogSyncs(server: PostgresServer): Promise<number> {
  const [row] = await runOn<{ syncs: string }>(
    server.url(),
    "SELECT sum(fsyncs) AS syncs FROM pg_stat_io WHERE object = 'wal'",
  );
  return Number(row?.syncs);
}
