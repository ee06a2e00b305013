/**
 * Runs all faults at full scale, or the suites given by name, and writes the results to standard output and
 * bench/FAULTS.md, where other suites keep theirs. With any `TEST_SCALE` but `all`, runs briefly and does not write.
 */
import { Database } from 'bun:sqlite';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { createDiskFolder, describeMachine, fileSystemOf } from '../bench/tools/machine.ts';
import { promises } from '../test/faults/promises.ts';
import { seed } from '../test/support/random.ts';

const root = join(import.meta.dir, '..');
const page = join(root, 'bench', 'FAULTS.md');
const heading = `# Faults

\`npm run test:faults\` writes this page. [docs/testing.md](../docs/testing.md#faults) says how the faults are made.
`;

const Line = z.object({ fault: z.number(), figures: z.optional(z.string()), skipped: z.optional(z.string()) });
type Line = z.infer<typeof Line>;

/** The totals of a suite in a JUnit report. */
interface Sums {
  readonly tests: number;
  readonly failures: number;
  readonly skipped: number;
}

interface Run {
  readonly succeeded: boolean;
  readonly lines: readonly Line[];
  readonly sums: ReadonlyMap<string, Sums>;
}

const today = new Date().toISOString().slice(0, 10);
const suites = process.argv.slice(2);

const readIfThere = async (path: string) => ((await Bun.file(path).exists()) ? Bun.file(path).text() : '');

async function runSuites(folder: string, scale: string): Promise<Run> {
  const [report, junit] = [join(folder, 'report.jsonl'), join(folder, 'junit.xml')];
  const reporter = ['--reporter=junit', `--reporter-outfile=${junit}`];
  const paths = suites.length === 0 ? ['test/faults/'] : suites.map((name) => `test/faults/${name}.test.ts`);
  const child = Bun.spawn([process.execPath, 'test', ...reporter, ...paths], {
    cwd: root,
    env: { ...process.env, TEST_SCALE: scale, TEST_SEED: String(seed), FAULT_REPORT: report },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const succeeded = (await child.exited) === 0;
  const lines = (await readIfThere(report)).split('\n').filter((line) => line !== '');
  return {
    succeeded,
    lines: lines.map((line) => Line.parse(JSON.parse(line))),
    sums: sumsIn(await readIfThere(junit)),
  };
}

/** By suite name. Nested suites of a file count for it too, as their elements have the same name. */
function sumsIn(junit: string): Map<string, Sums> {
  const heads = junit.matchAll(/^ {2}<testsuite name="test\/faults\/([\w-]+)\.test\.ts"([^>]*)>/gm);
  const sum = (head: string, name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? Number.NaN);
  return new Map(
    [...heads].map(([, suite = '', head = '']) => [
      suite,
      { tests: sum(head, 'tests'), failures: sum(head, 'failures'), skipped: sum(head, 'skipped') },
    ]),
  );
}

function verdictOf(sums: Sums | undefined, reasons: string): string {
  if (sums === undefined) return 'not run';
  if (sums.failures > 0) return '**failed**';
  if (sums.skipped === 0) return 'passed';
  return `${sums.skipped < sums.tests ? 'passed in part, else skipped' : 'skipped'}: ${reasons}`;
}

/** `former`: the page, for the rows of suites that were not to be run. */
function tableOf({ lines, sums }: Run, former: string): string {
  const formerRows = former.split('\n');
  const rows = Object.entries(promises).map(([number, { fault, promise, suite }]) => {
    const formerRow = formerRows.find((row) => row.startsWith(`| ${number} |`));
    if (formerRow !== undefined && suites.length > 0 && !suites.includes(suite)) return formerRow;
    const own = lines.filter((line) => line.fault === Number(number));
    const figures = own.flatMap((line) => line.figures ?? []).join('<br>');
    const reasons = own.flatMap((line) => line.skipped ?? []).join('; ');
    return `| ${number} | ${fault} | ${promise} | ${figures || 'none'} | ${verdictOf(sums.get(suite), reasons)} | ${today} |`;
  });
  return ['| | Fault | Promise | Figures | Verdict | Date |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

function describeRun(fileSystem: string): string {
  using db = new Database(':memory:');
  const [sqlite] = db.prepare<{ version: string }, []>('SELECT sqlite_version() AS version').all();
  return `The last run: ${describeMachine()}, ${fileSystem}, Bun ${Bun.version}, SQLite ${sqlite?.version}, seed ${seed}.`;
}

const scale = process.env['TEST_SCALE'] ?? 'all';
const folder = createDiskFolder();
const run = await runSuites(folder, scale);
const text = `${describeRun(fileSystemOf(folder))}\n\n${tableOf(run, await readIfThere(page))}`;
console.log(`\n${text}`);
if (scale === 'all') writeFileSync(page, `${heading}\n${text}\n`);
process.exitCode = run.succeeded ? 0 : 1;
