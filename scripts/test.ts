/** All checks, one after the other: types, style, and every suite. Ends with a line `N passed, N failed`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = (name: string) => join(import.meta.dir, '..', 'node_modules', '.bin', name);
const folder = mkdtempSync(join(tmpdir(), 'notes-check-'));
const report = join(folder, 'report.xml');

function succeeds(command: readonly string[]): boolean {
  console.log(`\n$ ${command.map((word) => word.split('/').at(-1)).join(' ')}`);
  return Bun.spawnSync([...command], { stdio: ['ignore', 'inherit', 'inherit'] }).success;
}

/** The sums that stand in the head of a JUnit report. */
async function sumsOf(path: string): Promise<{ tests: number; failures: number; skipped: number }> {
  const head = /<testsuites [^>]*>/.exec(await Bun.file(path).text())?.[0] ?? '';
  const sum = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? Number.NaN);
  return { tests: sum('tests'), failures: sum('failures'), skipped: sum('skipped') };
}

const checks = [
  succeeds([bin('tsc')]),
  succeeds([bin('tsc'), '-p', 'src/web']),
  succeeds([bin('biome'), 'ci', '--error-on-warnings']),
];
const reporter = ['--reporter=junit', `--reporter-outfile=${report}`];
const suites = succeeds([process.execPath, 'test', ...reporter]);
const { tests, failures, skipped } = await sumsOf(report);
rmSync(folder, { recursive: true });

const broken = checks.filter((passed) => !passed).length;
/** A suite that breaks outside its tests fails the run without a failure of its own. */
const failed = broken + Math.max(failures, suites ? 0 : 1);
const passed = checks.length - broken + tests - failures - skipped;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 && passed > checks.length ? 0 : 1);
