/**
 * Listeners during writes: 1,000 event streams while 1,000 titles are changed per second, and the same writes alone.
 * Exits with 1 when a listener lacks the last note. `bun bench/events.ts [listeners] [writes/s] [seconds]`
 */
import { join } from 'node:path';
import { forEachLine } from '../test/support/service.ts';
import { createDiskFolder, readCpuSecondsWithChildren, readResidentMegabytesOrNaN } from './tools/machine.ts';
import { startSendingAtRate } from './tools/measure.ts';
import { createDrafts } from './tools/notes.ts';
import { currentVersion, startChild, startServiceInstances } from './tools/programs.ts';
import { createTitleUpdateRequest, storeDraftsInEmptyProgram } from './tools/requests.ts';
import { type Figure, formatFigureTable, getQuantile, isBarMet } from './tools/table.ts';

/** What all listeners together have received. */
interface Heard {
  readonly events: number;
  readonly bytes: number;
  /** From the write to the listener, in ms. */
  readonly p50: number;
  readonly p99: number;
  /** Listeners whose last event is not that of the last write. */
  readonly lacking: number;
}

if (process.argv[2] === 'listen') await listenAndReport(process.argv[3] ?? '', Number(process.argv[4]));
else await measureEventsAndPrint();

async function measureEventsAndPrint(): Promise<void> {
  const [listeners = 1_000, perSecond = 1_000, seconds = 10] = process.argv.slice(2).map(Number);
  const database = `sqlite:${join(createDiskFolder(), 'notes.db')}`;
  const service = await startServiceInstances(currentVersion, { name: 'now', database });
  const drafts = createDrafts(1_000);
  await storeDraftsInEmptyProgram(service, drafts);
  const updates = drafts.map((_, index) => createTitleUpdateRequest(index + 1, `A title of note ${index + 1}`));

  const write = async () => {
    const began = readCpuSecondsWithChildren(service.pids);
    const writes = startSendingAtRate(service, updates, perSecond);
    await Bun.sleep(seconds * 1_000);
    const { rate, latencies } = await writes.stop();
    const cores = (readCpuSecondsWithChildren(service.pids) - began) / seconds;
    return { rate, p99: getQuantile(latencies, 0.99), cores, memory: readResidentMegabytesOrNaN(service.pids[0] ?? 0) };
  };
  const alone = await write();
  const child = startChild([process.execPath, import.meta.path, 'listen', service.urls[0] ?? '', String(listeners)]);
  const begun = Promise.withResolvers<void>();
  const lines: string[] = [];
  const ended = forEachLine(child.stdout, (line) => {
    lines.push(line);
    begun.resolve();
  });
  await begun.promise;
  const beside = await write();
  await Bun.sleep(2_000); // the last events arrive
  child.kill('SIGUSR2'); // SIGTERM ends every benchmark at once
  await ended;
  const heard: Heard = JSON.parse(lines.at(-1) ?? '');

  const figures: Figure[] = [
    { name: 'writes per second, alone', value: alone.rate, unit: '/s' },
    { name: `writes per second beside ${listeners} listeners`, value: beside.rate, unit: '/s' },
    { name: 'events delivered', value: heard.events / seconds, unit: '/s' },
    { name: 'bytes of them', value: heard.bytes / seconds / 1e6, unit: 'MB/s' },
    { name: 'from the write to the listener, p50', value: heard.p50, unit: 'ms' },
    { name: 'from the write to the listener, p99', value: heard.p99, unit: 'ms' },
    { name: 'writes alone, p99', value: alone.p99, unit: 'ms', digits: 1 },
    { name: 'writes beside listeners, p99', value: beside.p99, unit: 'ms', digits: 1 },
    { name: 'processor time alone', value: alone.cores, unit: 'cores', digits: 2 },
    { name: 'processor time beside listeners', value: beside.cores, unit: 'cores', digits: 2 },
    { name: 'resident memory alone', value: alone.memory, unit: 'MB' },
    { name: 'resident memory beside listeners', value: beside.memory, unit: 'MB' },
    { name: 'listeners that lack the last note', value: heard.lacking, unit: '', bar: 0 },
  ];
  console.log(formatFigureTable(figures));
  process.exit(figures.every(isBarMet) ? 0 : 1);
}

/**
 * Prints a line when all streams have begun, and what they heard on SIGUSR2. Counts all events, but measures the delay
 * of one chunk in ten: parsing all would slow the service down.
 */
async function listenAndReport(url: string, listeners: number): Promise<void> {
  const { hostname, port } = new URL(url);
  let [events, bytes, chunks, waiting] = [0, 0, 0, listeners];
  const delays: number[] = [];
  const last = new Array<string>(listeners).fill('');
  const mark = '"updatedAt":"';
  const timeLength = new Date().toISOString().length;
  for (let index = 0; index < listeners; index++) {
    let isBegun = false;
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n'),
        data(_, chunk) {
          if (!isBegun && --waiting === 0) console.log('begun');
          isBegun = true;
          bytes += chunk.length;
          const name = '\nevent: note';
          for (let at = chunk.indexOf(name); at >= 0; at = chunk.indexOf(name, at + name.length)) events++;
          const at = chunk.lastIndexOf(mark, chunk.length - mark.length - timeLength); // a chunk may end within a time
          if (at < 0 || chunk.length < mark.length + timeLength) return;
          const time = chunk.toString('latin1', at + mark.length, at + mark.length + timeLength);
          last[index] = time;
          if (chunks++ % 10 === 0) delays.push(Date.now() - Date.parse(time));
        },
      },
    });
  }
  process.once('SIGUSR2', () => {
    const newest = last.reduce((one, other) => (one > other ? one : other));
    const lacking = newest === '' ? listeners : last.filter((time) => time !== newest).length;
    const heard: Heard = { events, bytes, p50: getQuantile(delays, 0.5), p99: getQuantile(delays, 0.99), lacking };
    console.log(JSON.stringify(heard));
    process.exit(0);
  });
}
