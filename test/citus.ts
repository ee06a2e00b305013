/** Databases on a Citus cluster, whose coordinator holds one already that knows the workers. */
import { runOn } from './databases.ts';

interface Node {
  readonly host: string;
  readonly port: number;
  readonly is_coordinator: boolean;
}

const selectNodes = `SELECT nodename AS host, nodeport AS port, groupid = 0 AS is_coordinator
  FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`;

/** The addresses of a database on all nodes, the coordinator's first. */
export async function addressesOf(home: string, name: string): Promise<string[]> {
  return (await runOn<Node>(home, selectNodes)).map(({ host, port }) => {
    const url = new URL(home);
    url.host = `${host}:${port}`;
    url.pathname = name;
    return url.href;
  });
}

/** How databases are made on the cluster whose coordinator is at `home`, and dropped. */
export async function onCluster(home: string) {
  const homes = await addressesOf(home, new URL(home).pathname);
  const nodes = homes.map((address) => new URL(address));
  return {
    async create(name: string) {
      for (const node of homes) await runOn(node, `CREATE DATABASE ${name}`);
      const addresses = await addressesOf(home, name);
      for (const address of addresses) await runOn(address, 'CREATE EXTENSION citus');
      const adding = nodes.map(({ hostname, port }, n) =>
        n === 0
          ? `SELECT citus_set_coordinator_host('${hostname}', ${port})`
          : `SELECT citus_add_node('${hostname}', ${port})`,
      );
      await runOn(addresses[0] ?? '', adding.join('; '));
    },
    async drop(name: string) {
      for (const node of homes) await runOn(node, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
