/**
 * `notes import` and `notes export` as users run them: 100,000 and 1,000,000 notes of about 400 bytes, from NDJSON into
 * a fresh SQLite file and back. Prints figures with their bars and exits 1 when one is missed.
 * `bun bench/import.ts [notes]`
 */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../test/support/service.ts';
import { createDiskFolder } from './machine/machine.ts';
import { makeDrafts } from './notes/corpus.ts';
import { decimal, verdict } from './output/figure.ts';

const maxNotes = Number(process.argv[2] ?? 1_000_000);
/** Notes per second, and how much more memory ten times as many notes may take. */
const bars = { rate: 50_000, growth: 1.5 };

interface Run {
  readonly seconds: number;
  /** Of the whole process, in MB of 2^20 bytes. */
  readonly peak: number;
}

using folder = createDiskFolder();
const drafts = makeDrafts(10_000);
const few = await measure(maxNotes / 10);
const all = await measure(maxNotes);
const rate = maxNotes / all.import.seconds;
const growth = all.import.peak / few.import.peak;
console.log(`import: ${decimal(rate)} notes/s, bar ${decimal(bars.rate)}: ${verdict(rate >= bars.rate)}`);
console.log(
  `memory for ten times as many: × ${decimal(growth, 2)}, bar ${bars.growth}: ${verdict(growth <= bars.growth)}`,
);
process.exitCode = rate >= bars.rate && growth <= bars.growth ? 0 : 1;

async function measure(count: number): Promise<{ import: Run; again: Run; export: Run }> {
  const [file, db, copy] = ['ndjson', 'db', 'copy.ndjson'].map((ending) => join(folder.path, `${count}.${ending}`));
  if (file === undefined || db === undefined || copy === undefined) throw new Error('There are three names');
  write(file, count);
  const runs = {
    import: await run(['import', file, '--db', db]),
    again: await run(['import', file, '--db', db]),
    export: await run(['export', copy, '--db', db]),
  };
  const isSame = Bun.spawnSync(['cmp', file, copy]).exitCode === 0;
  console.log(`${decimal(count)} notes, ${decimal(statSync(file).size / 2 ** 20)} MB of NDJSON`);
  for (const [name, { seconds, peak }] of Object.entries(runs)) {
    const figures = [`${decimal(seconds, 1)} s`, `${decimal(count / seconds)} notes/s`, `peak RSS ${decimal(peak)} MB`];
    console.log(`  ${name.padEnd(7)} ${figures.join(', ')}`);
  }
  console.log(`  the export is ${isSame ? 'the same file, byte for byte' : 'ANOTHER FILE'}`);
  if (!isSame) process.exitCode = 1;
  return runs;
}

function write(path: string, count: number): void {
  const file = openSync(path, 'w');
  const start = Date.UTC(2026, 0, 1);
  for (let from = 0; from < count; from += drafts.length) {
    const lines = drafts.slice(0, count - from).map(({ title, content, category, group, color }, at) => {
      const createdAt = new Date(start + from + at).toISOString();
      const fields = { title, content, category, group, color, archived: false, createdAt, updatedAt: createdAt };
      return `${JSON.stringify({ id: from + at + 1, ...fields })}\n`;
    });
    writeSync(file, lines.join(''));
  }
  closeSync(file);
}

async function run(args: readonly string[]): Promise<Run> {
  const started = performance.now();
  const child = Bun.spawn([...program, ...args], { stdout: 'ignore', stderr: 'pipe' });
  const stderr = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(stderr);
  return { seconds: (performance.now() - started) / 1000, peak: (child.resourceUsage()?.maxRSS ?? 0) / 2 ** 20 };
}
