/**
 * Listeners during writes: 1,000 event streams while 1,000 titles are changed per second, and the same writes alone.
 * Prints a table, and exits with 1 when a listener lacks a note. `bun bench/events.ts [listeners] [writes/s] [seconds]`
 */
import { join } from 'node:path';
import { readLines, startService, temporaryFolder } from '../test/support/service.ts';
import { residentMb } from '../test/support/system/process-facts.ts';
import type { Heard, Written } from './events-load.ts';
import { fill } from './loads/fill.ts';
import { cpuSecondsOf } from './machine/cpu.ts';
import { makeDrafts } from './notes/corpus.ts';

const [listeners = 1_000, perSecond = 1_000, seconds = 10] = process.argv.slice(2).map(Number);
const program = join(import.meta.dir, 'events-load.ts');

/** Runs a part of the load in a separate process; `begun` resolves when it has started. */
function load<Result>(role: 'listen' | 'write', url: string, count: number) {
  const child = Bun.spawn([process.execPath, program, role, url, String(count), String(seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const begun = Promise.withResolvers<void>();
  const lines: string[] = [];
  const ended = readLines(child.stdout, (line) => {
    lines.push(line);
    begun.resolve();
  }).then((): Result => JSON.parse(lines.at(-1) ?? ''));
  return { begun: begun.promise, ended, stop: () => child.kill('SIGTERM') };
}

using folder = temporaryFolder();
const path = join(folder.path, 'notes.db');
await using service = await startService({ DATABASE_URL: `sqlite:${path}` });
await fill(service.url, makeDrafts(1_000));
const before = residentMb(service.process);

const { pid } = service.process;
const began = cpuSecondsOf(pid);
const alone = await load<Written>('write', service.url, perSecond).ended;
const aloneCpu = cpuSecondsOf(pid) - began;
const hearing = load<Heard>('listen', service.url, listeners);
await hearing.begun;
let rss = 0;
const sampling = setInterval(() => {
  rss = Math.max(rss, residentMb(service.process));
}, 100);
const cpuBefore = cpuSecondsOf(pid);
const beside = await load<Written>('write', service.url, perSecond).ended;
await Bun.sleep(2_000); // the last events arrive
const besideCpu = cpuSecondsOf(pid) - cpuBefore;
clearInterval(sampling);
hearing.stop();
const heard = await hearing.ended;

const rows = [
  ['listeners', String(listeners)],
  ['writes/s', `${(beside.writes / beside.seconds).toFixed(0)} (${(alone.writes / alone.seconds).toFixed(0)} alone)`],
  ['events delivered, all listeners together', `${(heard.events / seconds).toFixed(0)}/s`],
  ['bytes of them', `${(heard.bytes / seconds / 1e6).toFixed(0)} MB/s`],
  ['from the write to the listener, p50', `${heard.p50.toFixed(0)} ms`],
  ['from the write to the listener, p99', `${heard.p99.toFixed(0)} ms`],
  ['writes, p99', `${beside.p99.toFixed(1)} ms (${alone.p99.toFixed(1)} ms alone)`],
  [
    'processor time of the service',
    `${(besideCpu / seconds).toFixed(2)} cores (${(aloneCpu / seconds).toFixed(2)} alone)`,
  ],
  ['resident memory', `${rss.toFixed(0)} MB (${before.toFixed(0)} MB before)`],
  ['resets', String(heard.resets)],
  ['listeners that lack a note', String(heard.lacking)],
];
for (const [figure = '', value = ''] of rows) console.log(`| ${figure} | ${value} |`);
process.exitCode = heard.lacking === 0 ? 0 : 1;
