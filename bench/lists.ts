/**
 * Long lists: 1,000,000 notes of about 400 bytes, read whole while other requests go on, and by a slow reader.
 * Prints figures with their bars and exits 1 when one is missed. `bun bench/lists.ts [notes]`
 */
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../src/store/sqlite/open.ts';
import { draft, jsonBody, type Service, startService, temporaryFolder } from '../test/support/service.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const slowBytesPerSecond = 100_000;
const slowSeconds = Number(process.argv[3] ?? 60);
const megabyte = 1_000_000;

using folder = temporaryFolder();
const path = join(folder.path, 'notes.db');
await fill(path);
const started = performance.now();
await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
const startMs = performance.now() - started;

const rss = watchMemory(service);
const probes = probe(service);
const list = await readAll(service);
const latencies = await probes.stop();
const first = rss.most();
const slow = await readSlowly(service);
const most = rss.stop();

const rows: [figure: string, value: string, bar: string, met: boolean][] = [
  ['database', `${(statSync(path).size / megabyte).toFixed(0)} MB`, '', true],
  ['start until listening (whole file checked)', `${startMs.toFixed(0)} ms`, '', true],
  ['notes in the list', String(list.notes), `= ${count}`, list.notes === count],
  ['bytes of the list', `${(list.bytes / megabyte).toFixed(0)} MB in ${list.seconds.toFixed(1)} s`, '', true],
  ['other requests meanwhile', String(latencies.length), '> 100', latencies.length > 100],
  ['their p99', `${quantile(latencies, 0.99).toFixed(1)} ms`, '< 50 ms', quantile(latencies, 0.99) < 50],
  ['their maximum', `${quantile(latencies, 1).toFixed(1)} ms`, '', true],
  ['RSS while the list was read', `${first.toFixed(0)} MB`, '< 200 MB', first < 200],
  ['RSS with a slow reader too', `${most.toFixed(0)} MB`, '< 200 MB', most < 200],
  [
    `read at ${slowBytesPerSecond / 1000} KB/s for ${slowSeconds} s`,
    `${(slow.bytes / megabyte).toFixed(1)} MB`,
    'goes on',
    slow.open,
  ],
  [
    'WAL after 2,000 writes during that',
    `${(slow.walBytes / megabyte).toFixed(1)} MB`,
    '< 16 MB',
    slow.walBytes < 16 * megabyte,
  ],
];
for (const [figure, value, bar, met] of rows) {
  console.log(figure.padEnd(45), value.padStart(20), bar.padStart(12), bar ? (met ? 'met' : 'NOT MET') : '');
}
process.exitCode = rows.every(([, , , met]) => met) ? 0 : 1;

async function fill(file: string): Promise<void> {
  await (await openSqlite({ path: file }))[Symbol.asyncDispose]();
  using db = new Database(file);
  const content = 'A sentence of some words that a note may hold. '.repeat(9).slice(0, 400);
  db.run(
    `WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${count})
     INSERT INTO notes (title, content, category, "group", color, created_at, updated_at)
     SELECT 'Note ' || value, ?, 'notes', 'first', 'info', 1767225600000, 1767225600000 FROM series`,
    [content],
  );
}

/** Samples the resident memory of the service, in MB. */
function watchMemory({ process: { pid } }: Service): { most: () => number; stop: () => number } {
  let most = 0;
  const sample = async () => {
    const status = await Bun.file(`/proc/${pid}/status`).text();
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1000);
  };
  const timer = setInterval(sample, 50);
  const stop = () => {
    clearInterval(timer);
    return most;
  };
  return { most: () => most, stop };
}

/** Asks for small things, one after the other, until it is stopped; gives the latencies in ms. */
function probe({ url }: Service): { stop: () => Promise<number[]> } {
  let running = true;
  const latencies: number[] = [];
  const loop = (async () => {
    for (let turn = 0; running; turn++) {
      const begun = performance.now();
      const write = turn % 2 === 0;
      const answer = write
        ? await fetch(`${url}/api/notes/1`, jsonBody({ id: 1, title: `Turn ${turn}` }, 'PUT'))
        : await fetch(`${url}/api/notes?category=css`);
      await answer.text();
      if (answer.status !== 200) throw new Error(`A probe was answered ${answer.status}`);
      latencies.push(performance.now() - begun);
      await Bun.sleep(1);
    }
  })();
  return {
    stop: async () => {
      running = false;
      await loop;
      return latencies.sort((a, b) => a - b);
    },
  };
}

async function readAll({ url }: Service): Promise<{ notes: number; bytes: number; seconds: number }> {
  const begun = performance.now();
  const answer = await fetch(`${url}/api/notes`, { headers: { 'Accept-Encoding': 'identity' } });
  let [notes, bytes] = [0, 0];
  let rest = Buffer.alloc(0);
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    const text = Buffer.concat([rest, chunk]);
    let at = text.indexOf('{"id":');
    for (; at >= 0; at = text.indexOf('{"id":', at + 6)) notes++;
    rest = text.subarray(-5);
  }
  return { notes, bytes, seconds: (performance.now() - begun) / 1000 };
}

/** Reads at a steady low rate through a socket that is paused in between, while others write. */
async function readSlowly({ url, port }: Service): Promise<{ bytes: number; open: boolean; walBytes: number }> {
  let [bytes, open] = [0, true];
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(socket, chunk) {
        bytes += chunk.length;
        socket.pause();
        setTimeout(() => socket.resume(), (chunk.length / slowBytesPerSecond) * 1000);
      },
      close() {
        open = false;
      },
    },
  });
  socket.write('GET /api/notes HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await Bun.sleep(5_000);
  for (let turn = 0; turn < 2_000; turn++) await (await fetch(`${url}/api/notes`, jsonBody(draft()))).text();
  await Bun.sleep((slowSeconds - 5) * 1000);
  const stillOpen = open;
  const walBytes = statSync(`${path}-wal`).size;
  socket.end();
  return { bytes, open: stillOpen, walBytes };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
