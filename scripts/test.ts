/**
 * All checks, one after the other: types, style, every suite on the source tree, the page's suites, and those that start the
 * program once more on the one file that is shipped. What failed is shown again in the end, before the line
 * `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledSuites } from '../test/compiled/suites.ts';

const root = join(import.meta.dir, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const folder = mkdtempSync(join(tmpdir(), 'notes-check-'));

/** What came out of some checks. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What each failed test said. */
  readonly failures: readonly string[];
  /** The tests that passed only at the second try. */
  readonly seconds: readonly string[];
}

interface Suites {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const announce = (command: readonly string[]) => console.log(`\n$ ${command.join(' ').replaceAll(`${root}/`, '')}`);

function check(...command: readonly string[]): Outcome {
  announce(command);
  const { success } = Bun.spawnSync([...command], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const failures = success ? [] : [`${command.join(' ').replaceAll(`${root}/`, '')} failed, see above\n`];
  return { passed: success ? 1 : 0, failed: failures.length, skipped: 0, failures, seconds: [] };
}

/** A suite that breaks outside its tests fails the run without a failure of its own. */
async function runSuites({ name, argv, env }: Suites): Promise<Outcome> {
  const report = join(folder, `${name}.xml`);
  const command = [process.execPath, 'test', ...argv];
  announce([...Object.entries(env ?? {}).map((pair) => pair.join('=')), ...command]);
  // Clocks, disks and a browser on a busy machine: a second try, which is told, may tell noise from a mistake.
  const reporter = ['--retry=1', '--reporter=junit', `--reporter-outfile=${report}`];
  const child = Bun.spawn([...command, ...reporter], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const said = await passOn(child.stderr);
  const succeeded = (await child.exited) === 0;
  const { tests, failures, skipped } = await sumsIn(report);
  const failed = Math.max(failures, succeeded ? 0 : 1);
  const { shown, seconds } = read(said);
  const broken = failed > 0 && shown.length === 0 ? [`the run "${name}" broke, see above\n`] : [];
  return { passed: tests - failures - skipped, failed, skipped, failures: [...shown, ...broken], seconds };
}

/** Shows what a process says, and returns it. */
async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let said = '';
  for await (const chunk of stream) {
    process.stderr.write(chunk);
    said += decoder.decode(chunk, { stream: true });
  }
  return said;
}

/** The sums that stand in the head of a JUnit report; none when the run broke before it wrote one. */
async function sumsIn(path: string): Promise<{ tests: number; failures: number; skipped: number }> {
  const text = (await Bun.file(path).exists()) ? await Bun.file(path).text() : '';
  const head = /<testsuites [^>]*>/.exec(text)?.[0] ?? '';
  const sum = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  return { tests: sum('tests'), failures: sum('failures'), skipped: sum('skipped') };
}

/** Reads what Bun's test runner prints: the lines before a verdict belong to the test; one after it says that it was late. */
function read(said: string): { shown: string[]; seconds: string[] } {
  const shown: string[] = [];
  const seconds: string[] = [];
  let file = '';
  let lines: string[] = [];
  for (const line of said.split('\n')) {
    if (/^\S+\.test\.tsx?:$/.test(line)) [file, lines] = [line, []];
    else if (line.startsWith('  ^ ')) shown.push(`${shown.pop() ?? ''}\n${line}`);
    else lines.push(line);
    const verdict = /^\((pass|fail|skip|todo)\) /.exec(line)?.[1];
    if (verdict === 'fail') shown.push(`${file}\n${lines.join('\n')}`);
    if (verdict === 'pass' && line.includes(' (attempt 2)')) seconds.push(`${file}\n${lines.join('\n')}`);
    if (verdict !== undefined) lines = [];
  }
  return { shown, seconds };
}

const outcomes = [
  check(bin('tsc')),
  check(bin('tsc'), '-p', 'src/web'),
  check(bin('biome'), 'ci', '--error-on-warnings'),
  await runSuites({ name: 'all', argv: ['--path-ignore-patterns=test/{page,compiled}/**'] }),
  await runSuites({ name: 'page', argv: ['test/page/'] }),
  check(process.execPath, 'scripts/build.ts'),
  await runSuites({ name: 'compiled', argv: await compiledSuites(root), env: { NOTES_PROGRAM: 'dist/notes' } }),
];
rmSync(folder, { recursive: true });

const sum = (name: 'passed' | 'failed' | 'skipped') => outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
for (const second of outcomes.flatMap(({ seconds }) => seconds))
  console.log(`\nPassed only at the second try: ${second}`);
for (const failure of outcomes.flatMap(({ failures }) => failures)) console.log(`\nFailed: ${failure}`);
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 && outcomes.every((outcome) => outcome.passed > 0) ? 0 : 1);
