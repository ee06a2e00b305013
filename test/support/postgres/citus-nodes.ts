/** The nodes of a Citus cluster that `scripts/citus.sh` runs, which starts a node again when it has ended. */
import { isEventuallyTrue } from '../eventually.ts';
import { runStatements } from './databases.ts';

/** Ends a node without a checkpoint, as a crash does, and waits until it is back. `url`: a database of the node. */
export async function crashNodeAndWaitForRestart(url: string): Promise<void> {
  const pid = await readServerPid(url);
  process.kill(pid, 'SIGQUIT');
  const isBack = await isEventuallyTrue(async () => (await readServerPid(url).catch(() => pid)) !== pid);
  if (!isBack) throw new Error(`The node at ${url} did not start again`);
}

async function readServerPid(url: string): Promise<number> {
  const [file] = await runStatements<{ text: string }>(url, `SELECT pg_read_file('postmaster.pid') AS text`);
  return Number.parseInt(file?.text ?? '', 10);
}

/** A database of a cluster, by a statement that runs on its coordinator. */
interface Cluster {
  readonly run: <Row>(statements: string) => Promise<Row[]>;
}

/** Moves all notes to one worker, and distributes them again as `rebalance_table_shards` does, without blocking writes. */
export async function moveShardsAndRebalance({ run }: Cluster): Promise<void> {
  const placements = await run<{ shard: string; host: string; port: number }>(`
    SELECT shardid AS shard, nodename AS host, nodeport AS port FROM citus_shards
    WHERE table_name = 'notes'::regclass AND nodeport <> (
      SELECT max(nodeport) FROM pg_dist_node WHERE groupid > 0) ORDER BY shardid`);
  for (const { shard, host, port } of placements) {
    await run(`SELECT citus_move_shard_placement(${shard}, '${host}', ${port}, nodename, nodeport, 'force_logical')
      FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeport DESC LIMIT 1`);
  }
  await run(`SELECT rebalance_table_shards('notes', shard_transfer_mode => 'force_logical')`);
}
