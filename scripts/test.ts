/**
 * What a change breaks most: types, style, and the suites that fit in 4 minutes, on the shipped file, in parallel. With
 * `all`, the rest: the longest suites, long runs of random properties, the npm package, and each fault briefly. Exit
 * codes and JUnit reports give the verdict; failures are listed again at the end.
 */
import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserPath } from '../test/support/browser.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { seed } from '../test/support/random.ts';
import { type Outcome, outcomeOf } from './junit.ts';

const root = join(import.meta.dir, '..');
const isAll = process.argv[2] === 'all';
/** Reports of the test runner, and all temporary files of tests and browsers. Only faults need a disk that syncs. */
const folder = mkdtempSync(join(isAll ? tmpdir() : (memoryFolder() ?? tmpdir()), 'notes-test-'));
chmodSync(folder, 0o1777); // tests run programs as other users, too
process.env['TMPDIR'] = folder; // also of the database server
const begun = performance.now();

/** A file system in memory with 4 GiB of room that can execute programs; undefined if there is none. */
function memoryFolder(): string | undefined {
  const path = '/dev/shm';
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === path);
    const { bavail, bsize } = statfsSync(path);
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize > 4 * 2 ** 30 ? path : undefined;
  } catch {
    return undefined; // not Linux
  }
}

type Env = Readonly<Record<string, string>>;

interface Suites {
  readonly name: string;
  /** Files, folders and flags of the test runner. */
  readonly argv: readonly string[];
  readonly env?: Env;
}

const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
const announce = (what: string) => console.log(`\n[${seconds()}] ${what}`);

/** Prints output only on failure. */
async function check(name: string, ...command: readonly string[]): Promise<Outcome> {
  const child = Bun.spawn([...command], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const output = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return { passed: 1, skipped: 0, failures: [] };
  console.log(`\n${name}:\n${output.join('')}`);
  return { passed: 0, skipped: 0, failures: [name] };
}

const tool = (name: string) => join(root, 'node_modules', '.bin', name);

async function runSuites({ name, argv, env }: Suites): Promise<Outcome> {
  announce(`bun test ${argv.join(' ')}`);
  const report = join(folder, `${name}.xml`);
  const flags = ['--timeout=60000', '--reporter=junit', `--reporter-outfile=${report}`];
  const child = Bun.spawn([process.execPath, 'test', ...argv, ...flags], {
    cwd: root,
    env: { ...process.env, TEST_SEED: String(seed), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exitCode = await child.exited;
  return outcomeOf(name, (await Bun.file(report).exists()) ? await Bun.file(report).text() : '', exitCode);
}

/** Runs this many test files in parallel; they share a database server, and each process has one browser. */
const sideBySide = (files: number) => [`--parallel=${files}`, '--no-isolate'];
/** A browser keeps a core busy; other suites wait for processes and the database, and on a disk for syncs. */
const [withBrowser, onDisk, inMemory] = [sideBySide(2), sideBySide(3), sideBySide(4)];

/** The longest suites of the page, and those of parts that few changes touch. */
const longSuites = [
  ...['accessibility', 'copy', 'drafts', 'drop', 'history', 'last-visit', 'looks', 'offline', 'print', 'selection'],
  ...['show', 'sign-in', 'states', 'sub-path', 'tabs', 'themes', 'windowing'],
].map((name) => `test/page/${name}.test.ts`);

/** Suites with more rounds, queries or readers at `TEST_SCALE=all`. */
const scaledSuites = ['merge-model', 'round-trip'].map((name) => `test/integration/${name}.test.ts`);

/** Suites that run only there. */
const scaledAlone = [
  ...['model', 'migrate', 'lists', 'search-recall'].map((name) => `test/integration/${name}.test.ts`),
  'test/postgres/lists.test.ts',
];

const build = () => check('build', process.execPath, 'scripts/build.ts');

async function* usual(env: Env) {
  announce('types, style, build');
  yield* await Promise.all([
    check('types', tool('tsc')),
    check('types of the page', tool('tsc'), '-p', 'src/page'),
    check('style', tool('biome'), 'ci', '--error-on-warnings'),
    build(),
  ]);
  const leaveOut = (patterns: readonly string[]) => patterns.map((pattern) => `--path-ignore-patterns=${pattern}`);
  const later = leaveOut(['test/page/**', 'test/faults/**', 'test/package/**', ...scaledAlone]);
  yield runSuites({ name: 'suites', argv: [...inMemory, ...later], env });
  yield runSuites({ name: 'page', argv: [...withBrowser, 'test/page/', ...leaveOut(longSuites)], env });
  yield runSuites({ name: 'source', argv: ['test/integration/cli.test.ts'] });
}

async function* rest(env: Env) {
  announce('build');
  yield build();
  yield runSuites({ name: 'long', argv: [...withBrowser, ...longSuites], env });
  yield runSuites({
    name: 'scaled',
    argv: [...onDisk, ...scaledSuites, ...scaledAlone],
    env: { ...env, TEST_SCALE: 'all' },
  });
  yield runSuites({ name: 'package', argv: ['test/package/'] });
  yield runSuites({ name: 'faults', argv: ['test/faults/'], env });
}

console.log(`TEST_SEED=${seed}`);
const given = process.env['TEST_DATABASE_URL'];
const server = given === undefined ? await startPostgres({ settings: { max_connections: 300 } }) : undefined;
const env = {
  NOTES_PROGRAM: 'dist/notes',
  TEST_DATABASE_URL: given ?? server?.url() ?? '',
  CHROME_PATH: await browserPath(), // unpacked on the first call
};
const outcomes: Outcome[] = [];
for await (const outcome of isAll ? rest(env) : usual(env)) outcomes.push(outcome);
await Bun.$`rm -rf ${folder}`.nothrow(); // a browser that is still ending may write into it

const sum = (name: 'passed' | 'skipped') => outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
const failures = outcomes.flatMap((outcome) => outcome.failures);
for (const failure of failures) console.log(`Failed: ${failure}`);
if (failures.length > 0) console.log(`TEST_SEED=${seed} repeats the random choices`);
const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
console.log(`\n${sum('passed')} passed, ${failures.length} failed${skipped} in ${seconds()}`);
process.exit(failures.length === 0 ? 0 : 1); // the database server ends with this process
