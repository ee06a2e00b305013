/**
 * The load of `events.ts`: `listen <url> <listeners>` until SIGTERM, or `write <url> <per second> <seconds>`. Prints a
 * line when it has begun, and its result as JSON.
 */
import { jsonBody, notesIn } from '../test/support/service.ts';

export interface Heard {
  readonly events: number;
  readonly bytes: number;
  /** The delay from the write to the listener, in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly resets: number;
  /** Listeners that did not receive the last state of every written note. */
  readonly lacking: number;
}

export interface Written {
  readonly writes: number;
  readonly seconds: number;
  /** In ms. */
  readonly p99: number;
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

const [role, url = '', count = '0', seconds = '0'] = process.argv.slice(2);
if (role === 'listen') await listen(Number(count));
else console.log(JSON.stringify(await write(Number(count), Number(seconds))));

async function write(perSecond: number, forSeconds: number): Promise<Written> {
  const notes = await notesIn(fetch(`${url}/api/notes`));
  const latencies: number[] = [];
  const underWay = new Set<Promise<void>>();
  console.log('begun');
  const began = performance.now();
  for (let sent = 0; sent < perSecond * forSeconds; ) {
    const due = Math.min(perSecond * forSeconds, ((performance.now() - began) * perSecond) / 1000);
    while (sent < due) {
      const id = notes[sent++ % notes.length]?.id ?? 1;
      const at = performance.now();
      const answer = fetch(`${url}/api/notes/${id}`, jsonBody({ id, title: `Title ${sent}` }, 'PUT'))
        .then((response) => response.text())
        .then(() => void latencies.push(performance.now() - at))
        .finally(() => underWay.delete(answer));
      underWay.add(answer);
    }
    await Bun.sleep(1);
  }
  await Promise.all(underWay);
  latencies.sort((one, other) => one - other);
  return { writes: latencies.length, seconds: (performance.now() - began) / 1000, p99: quantile(latencies, 0.99) };
}

/** Counts the events of all chunks, but measures the delay of one in ten, as parsing all would distort the load. */
async function listen(listeners: number): Promise<void> {
  const { hostname, port } = new URL(url);
  let [events, bytes, resets, chunks] = [0, 0, 0, 0];
  const delays: number[] = [];
  const last: string[] = [];
  const begun = Promise.withResolvers<void>();
  let waiting = listeners;
  for (let index = 0; index < listeners; index++) {
    let isBegun = false;
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n'),
        data(_, chunk) {
          bytes += chunk.length;
          if (!isBegun) {
            isBegun = true;
            if (--waiting === 0) begun.resolve();
          }
          for (let at = chunk.indexOf('\nevent: '); at >= 0; at = chunk.indexOf('\nevent: ', at + 8)) {
            if (chunk[at + 8] === 0x6e) events++;
            else resets++;
          }
          const at = chunk.lastIndexOf('"updatedAt":"', chunk.length - 37); // a chunk may end within a time
          if (at < 0 || chunk.length < 37) return;
          const time = chunk.toString('latin1', at + 13, at + 37);
          last[index] = time;
          if (chunks++ % 10 === 0) delays.push(Date.now() - Date.parse(time));
        },
      },
    });
  }
  await begun.promise;
  console.log('begun');
  process.once('SIGTERM', () => {
    delays.sort((one, other) => one - other);
    const newest = last.reduce((one, other) => (one > other ? one : other), '');
    const lacking = Array.from({ length: listeners }, (_, index) => last[index]).filter(
      (time) => time !== newest,
    ).length;
    const heard = { events, bytes, p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), resets, lacking };
    console.log(JSON.stringify(heard));
    process.exit(0);
  });
}
