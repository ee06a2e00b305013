/**
 * How fast the program starts, and what short commands take, out of the source tree and as one file (`npm run build`):
 * `bun bench/start.ts`. Exits with 1 when the median of the one file misses a bar.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { session, sessionPath, write } from '../test/support/data/sources.ts';
import { send } from './loads/answers.ts';
import { fill } from './loads/fill.ts';
import { createDiskFolder, describeMachine } from './machine/machine.ts';
import { start } from './machine/processes.ts';
import { makeDrafts } from './notes/corpus.ts';
import { decimal, median, verdict } from './output/figure.ts';

const starts = 20;
const barMs = 80;

const root = join(import.meta.dir, '..');
const oneFile = join(root, 'dist', 'notes');
const programs = { 'source tree': [process.execPath, join(root, 'src', 'main.ts')], 'one file': [oneFile] };
if (!existsSync(oneFile)) throw new Error('There is no dist/notes. Make it with npm run build');

using folder = createDiskFolder();
const host = { signal: new AbortController().signal };

const serve = (argv: readonly string[], database: string) =>
  start(host, {
    argv: [...argv, 'serve'],
    folder: folder.path,
    env: { PORT: '0', DATABASE_URL: `sqlite:${database}` },
  });

/** From the start of a service to its first answer, in ms; its notes are in the file that `nextDatabase` names. */
async function measureServe(argv: readonly string[], nextDatabase: () => string, path: string): Promise<number[]> {
  const times: number[] = [];
  while (times.length < starts) {
    const database = nextDatabase();
    const began = performance.now();
    await using service = await serve(argv, database);
    const answer = await send(service.url, { method: 'GET', path, body: '' });
    times.push(performance.now() - began);
    await answer.arrayBuffer();
  }
  return times;
}

/** From the start of a command to its end, in ms; before each, `prepare` does what is not measured. */
async function measureCommand(argv: readonly string[], prepare = () => {}): Promise<number[]> {
  const times: number[] = [];
  while (times.length < starts) {
    prepare();
    const began = performance.now();
    const child = Bun.spawn([...argv], {
      cwd: folder.path,
      env: { HOME: folder.path },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if ((await child.exited) !== 0) throw new Error(`${argv.join(' ')} ended with ${child.exitCode}: ${errors}`);
    times.push(performance.now() - began);
  }
  return times;
}

const full = join(folder.path, 'full.db');
{
  await using service = await serve(programs['one file'], full);
  await fill(service.url, makeDrafts(10_000));
}
const projects = join(folder.path, 'projects');
for (let n = 1; n <= 1_000; n++) write(sessionPath(projects, n), session(40, `Session ${n}`));
let messages = 40;
const growThree = () => {
  messages += 2;
  for (const n of [7, 500, 993]) write(sessionPath(projects, n), session(messages, `Session ${n}`));
};
const sync = ['sync', projects, '--db', join(folder.path, 'sessions.db')];
await measureCommand([oneFile, ...sync]); // takes all of them

let made = 0;
const empty = () => join(folder.path, `empty-${made++}.db`);

console.log(`${describeMachine()}, ${folder.fileSystem}, Bun ${Bun.version}; median and highest of ${starts}, in ms\n`);
console.log('| | source tree | one file | |\n|---|---|---|---|');
const isMet = [
  await compare('`serve` to GET /api/notes, no notes', (argv) => measureServe(argv, empty, '/api/notes'), barMs),
  await compare(
    '`serve` to GET /api/notes/1, 10,000 notes',
    (argv) => measureServe(argv, () => full, '/api/notes/1'),
    barMs,
  ),
  await compare('`serve` to the whole list of 10,000 notes', (argv) => measureServe(argv, () => full, '/api/notes')),
  await compare('`serve` to GET /, the page', (argv) => measureServe(argv, empty, '/')),
  await compare('`--version`', (argv) => measureCommand([...argv, '--version'])),
  await compare('`list`, 10,000 notes', (argv) => measureCommand([...argv, 'list', '--db', full]), 60),
  await compare('`list -n 20`, 10,000 notes', (argv) => measureCommand([...argv, 'list', '-n', '20', '--db', full])),
  await compare(
    '`sync`, 3 of 1,000 sessions have grown',
    (argv) => measureCommand([...argv, ...sync], growThree),
    1_000,
  ),
];
process.exitCode = isMet.every(Boolean) ? 0 : 1;

/** Prints a line of the table; whether the one file is within the bar. */
async function compare(what: string, measure: (argv: readonly string[]) => Promise<number[]>, bar?: number) {
  const source = await measure(programs['source tree']);
  const file = await measure(programs['one file']);
  const show = (times: readonly number[]) => `${decimal(median(times))} (${decimal(Math.max(...times))})`;
  const met = bar === undefined || median(file) <= bar;
  console.log(
    `| ${what} | ${show(source)} | ${show(file)} | ${bar === undefined ? '' : `≤ ${bar}: ${verdict(met)}`} |`,
  );
  return met;
}
