/**
 * One note that everybody changes: `bun bench/hot-note.ts [--seconds 5]`. 48 writers put and archive it, on one
 * instance and on three. Starts a PostgreSQL server of its own, prints latencies in ms, and exits with 1 when a write
 * failed.
 */
import { parseArgs } from 'node:util';
import { createDatabase } from '../test/support/postgres/databases.ts';
import { draft, jsonBody, noteIn, startService } from '../test/support/service.ts';

const writers = 48;
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });

/** The durations of the writes, in ms, ascending. Throws if one was refused. */
async function latencies(instances: number): Promise<readonly number[]> {
  await using database = await createDatabase();
  await using services = new AsyncDisposableStack();
  const urls: string[] = [];
  while (urls.length < instances) urls.push(services.use(await startService({ DATABASE_URL: database.url })).url);
  const { id } = await noteIn(fetch(`${urls[0]}/api/notes`, jsonBody(draft())));
  const taken: number[] = [];
  const end = performance.now() + 1_000 * Number(values.seconds);
  const write = async (n: number) => {
    const url = `${urls[n % instances]}/api/notes/${id}`;
    for (let turn = n; performance.now() < end; turn++) {
      const started = performance.now();
      const put = () => fetch(url, jsonBody({ id, title: `${n} ${turn}` }, 'PUT'));
      const archive = () => fetch(`${url}/archive`, { method: 'PATCH' });
      const answer = await (turn % 2 === 0 ? put() : archive());
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
      taken.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, n) => write(n)));
  return taken.sort((one, other) => one - other);
}

console.log('| instances | writes/s | p50 | p99 | longest |\n|---|---|---|---|---|');
for (const instances of [1, 3]) {
  const taken = await latencies(instances);
  const at = (share: number) => Math.round(taken[Math.floor(share * (taken.length - 1))] ?? 0);
  const rate = Math.round(taken.length / Number(values.seconds));
  console.log(`| ${instances} | ${rate} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
}
process.exit(0);
