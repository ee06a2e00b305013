/**
 * Runs the tests. `npm test`: types, style, and the usual tests, in about two minutes on two cores. `npm run test:all`:
 * all other tests. Together they are everything. Tests run in parallel, on the executable, and share one PostgreSQL.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackBrowserIfNeeded } from '../test/support/browser.ts';
import { hangsAfterMs } from '../test/support/eventually.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { seed } from '../test/support/random.ts';
import { findTestFiles, isFaultTest, isPageTest, isUsualTest, scaledTests } from './test-suites.ts';

const root = join(import.meta.dir, '..');
const startedAt = performance.now();

const totals = { passed: 0, failed: 0 };
const failures: string[] = [];

/** Folders for temporary files: in memory, if there is room, and on a disk that syncs. */
const folders = { memory: createFolderForTests(findMemoryFolder() ?? tmpdir()), disk: createFolderForTests(tmpdir()) };
process.env['TMPDIR'] = folders.memory; // of the database server and of browsers, too

await (process.argv[2] === 'others' ? buildAndRunOtherTests() : checkBuildAndRunUsualTests());
for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
printSummary();
process.exit(failures.length === 0 ? 0 : 1); // the database server ends with this process

async function checkBuildAndRunUsualTests(): Promise<void> {
  await Promise.all(['typecheck', 'lint', 'build'].map(runScript));
  const env = await prepareEnvironment();
  await runTestsAndRecordFailures(findTestFiles(root).filter(isUsualTest), 4, env); // four, as tests wait for processes and disks
  await runTestsAndRecordFailures(['test/integration/cli.test.ts'], 1, { ...env, NOTES_PROGRAM: undefined }); // from the source tree
}

async function buildAndRunOtherTests(): Promise<void> {
  await runScript('build');
  const env = await prepareEnvironment();
  const others = findTestFiles(root).filter((file) => !isUsualTest(file));
  const further = others.filter((file) => !isPageTest(file) && !isFaultTest(file));
  await runTestsAndRecordFailures(others.filter(isPageTest), 2, env); // two, as a browser uses a core
  await runTestsAndRecordFailures([...further, ...scaledTests], 3, { ...env, TEST_SCALE: 'all' });
  await runTestsAndRecordFailures(others.filter(isFaultTest), 1, { ...env, TMPDIR: folders.disk }); // one, as they load the machine
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts what the tests share: a PostgreSQL server, unless one is named, and the browser, which is unpacked once. */
async function prepareEnvironment(): Promise<Environment> {
  const databaseUrl = process.env['TEST_DATABASE_URL'];
  return {
    ...process.env,
    NOTES_PROGRAM: 'dist/notes',
    TEST_SEED: String(seed),
    CHROME_PATH: await unpackBrowserIfNeeded(),
    TEST_DATABASE_URL: databaseUrl ?? (await startPostgres({ settings: { max_connections: 300 } })).url(),
  };
}

/** Runs a script of package.json. Prints its output if it fails. */
async function runScript(name: string): Promise<void> {
  const child = Bun.spawn(['npm', 'run', '--silent', name], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const output = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return;
  console.log(`\n${name}:\n${output.join('')}`);
  failures.push(`npm run ${name}`);
}

/** Runs test files in so many processes. Prints a dot for each test, and what failed. */
async function runTestsAndRecordFailures(files: readonly string[], processes: number, env: Environment): Promise<void> {
  console.log(`\n[${formatTimeSinceStart()}] ${files.length} files of tests`);
  const options = [`--timeout=${hangsAfterMs}`, `--parallel=${processes}`, '--no-isolate', '--dots'];
  const child = Bun.spawn([process.execPath, 'test', ...options, ...files.map((file) => `./${file}`)], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const failed = await copyReportAndCollectFailures(child.stderr);
  failures.push(...failed);
  if ((await child.exited) !== 0 && failed.length === 0) failures.push(files.join(' '));
}

/** Copies what `bun test` prints to standard error, counts its tests, and returns the names of those that failed. */
async function copyReportAndCollectFailures(output: ReadableStream<Uint8Array>): Promise<readonly string[]> {
  const failed: string[] = [];
  let file = '';
  for await (const line of streamLinesAndCopyToStderr(output)) {
    file = /^(\S+\.test\.ts):$/.exec(line)?.[1] ?? file;
    const name = /^\(fail\) (.*)$/.exec(line)?.[1];
    if (name !== undefined) failed.push(`${file}: ${name}`);
    const [, count, kind] = /^ *(\d+) (pass|fail)$/.exec(line) ?? [];
    if (kind === 'pass') totals.passed += Number(count);
    if (kind === 'fail') totals.failed += Number(count);
  }
  return failed;
}

/** Yields the lines of a stream, which goes on to standard error as it arrives. */
async function* streamLinesAndCopyToStderr(output: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of output) {
    process.stderr.write(bytes);
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

function printSummary(): void {
  for (const failure of failures) console.log(`Failed: ${failure}`);
  console.log(`\n${failures.length === 0 ? 'Passed' : 'Failed'} after ${formatTimeSinceStart()} (TEST_SEED=${seed}):`);
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
}

function formatTimeSinceStart(): string {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function createFolderForTests(parent: string): string {
  const path = mkdtempSync(join(parent, 'notes-test-'));
  chmodSync(path, 0o1777); // tests run programs as other users, too
  return path;
}

/** A file system in memory with 4 GiB of room that can execute programs; undefined if there is none. */
function findMemoryFolder(): string | undefined {
  const path = '/dev/shm';
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const mount = mounts.find((line) => line.split(' ')[1] === path);
    const { bavail, bsize } = statfsSync(path);
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize > 4 * 2 ** 30 ? path : undefined;
  } catch {
    return undefined; // not Linux
  }
}
