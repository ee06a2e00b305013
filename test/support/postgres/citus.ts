/** Databases on a Citus cluster. A database on the coordinator already lists the workers. */
import { runOn, type TestDatabase } from './databases.ts';

export interface CitusDatabase extends TestDatabase {
  /** Its URLs on the workers. */
  readonly workers: readonly string[];
}

interface Node {
  readonly host: string;
  readonly port: number;
}

const selectNodes = `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`;

/** An empty database whose URL contains the distribution, if any. `home`: the URL of the first database. */
export async function createOnCitus(home: string, name: string, distribution?: string): Promise<CitusDatabase> {
  const nodes = await runOn<Node>(home, selectNodes);
  const addresses = (database: string) =>
    nodes.map(({ host, port }) => {
      const url = new URL(home);
      url.host = `${host}:${port}`;
      url.pathname = database;
      return url.href;
    });
  const homes = addresses(new URL(home).pathname);
  const [url = home, ...workers] = addresses(name);
  for (const node of homes) await runOn(node, `CREATE DATABASE ${name}`);
  for (const address of [url, ...workers]) await runOn(address, 'CREATE EXTENSION citus');
  const joined = nodes.map(
    ({ host, port }, n) => `SELECT ${n === 0 ? 'citus_set_coordinator_host' : 'citus_add_node'}('${host}', ${port})`,
  );
  await runOn(url, joined.join('; '));
  return {
    url: distribution === undefined ? url : `${url}?distribution=${distribution}`,
    workers,
    run: (statements) => runOn(url, statements),
    async [Symbol.asyncDispose]() {
      for (const node of homes) await runOn(node, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`); // nor Citus's own
      for (const node of homes) await runOn(node, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
