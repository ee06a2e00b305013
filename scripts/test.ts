/**
 * `npm test`: everything a change can break. With `long`, what takes longer: all rounds of random properties, long
 * lists, the npm package, and each fault briefly. Suites run in parallel, on the executable, and share one PostgreSQL.
 */
import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserPath } from '../test/support/browser.ts';
import { startPostgres } from '../test/support/postgres/server.ts';
import { seed } from '../test/support/random.ts';

const root = join(import.meta.dir, '..');
const isLong = process.argv[2] === 'long';
const disk = temporaryFolder(tmpdir());
/** Temporary files of the database server, of browsers and of all tests but those of faults. */
const folder = temporaryFolder(memoryFolder() ?? tmpdir());
process.env['TMPDIR'] = folder;
const began = performance.now();
const failed: string[] = [];

function temporaryFolder(parent: string): string {
  const path = mkdtempSync(join(parent, 'notes-test-'));
  chmodSync(path, 0o1777); // tests run programs as other users, too
  return path;
}

/** A file system in memory with 4 GiB of room that can execute programs; undefined if there is none. */
function memoryFolder(): string | undefined {
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

/** Runs a command to its end; prints its output when it fails. */
async function check(name: string, command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const output = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return;
  console.log(`\n${name}:\n${output.join('')}`);
  failed.push(name);
}

/** Suites that run only in full. */
const long = ['model', 'migrate', 'lists', 'search-recall']
  .map((name) => `test/integration/${name}.test.ts`)
  .concat('test/postgres/lists.test.ts');

/** Suites of the page that take longest, and those of parts that few changes touch. */
const longPage = [
  ...['accessibility', 'copy', 'drafts', 'drop', 'history', 'last-visit', 'looks', 'offline', 'print', 'selection'],
  ...['show', 'sign-in', 'states', 'sub-path', 'tabs', 'themes', 'windowing'],
].map((name) => `test/page/${name}.test.ts`);

const env: Record<string, string | undefined> = {
  ...process.env,
  NOTES_PROGRAM: 'dist/notes',
  TEST_SEED: String(seed),
  CHROME_PATH: await browserPath(), // unpacked once, before suites run side by side
};

/** So many files at once, in processes that each have one browser. */
async function test(files: number, args: readonly string[], more: Record<string, string> = {}): Promise<void> {
  const command = ['test', '--timeout=60000', `--parallel=${files}`, '--no-isolate', ...args];
  console.log(`\n[${((performance.now() - began) / 1000).toFixed(0)} s] bun ${command.join(' ')}`);
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: root,
    env: { ...env, ...more },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if ((await child.exited) !== 0) failed.push(args.join(' '));
}

/** A browser keeps a core busy; other suites wait for processes and the database, and on a disk for syncs. */
async function runUsual(): Promise<void> {
  const scripts = ['typecheck', 'lint', 'build'];
  await Promise.all(scripts.map((script) => check(script, ['npm', 'run', '--silent', script])));
  const later = ['test/page/**', 'test/faults/**', 'test/package/**', ...long];
  await test(
    4,
    later.map((pattern) => `--path-ignore-patterns=${pattern}`),
  );
  await test(2, ['test/page/', ...longPage.map((pattern) => `--path-ignore-patterns=${pattern}`)]);
  await test(1, ['test/integration/cli.test.ts'], { NOTES_PROGRAM: '' }); // from the source tree
}

async function runLong(): Promise<void> {
  await check('build', ['npm', 'run', '--silent', 'build']);
  const scaled = ['merge-model', 'round-trip'].map((name) => `test/integration/${name}.test.ts`);
  await test(2, longPage);
  await test(3, [...scaled, ...long], { TEST_SCALE: 'all' });
  await test(1, ['test/package/', 'test/faults/'], { TMPDIR: disk }); // faults need one that syncs
}

const server = process.env['TEST_DATABASE_URL']
  ? undefined
  : await startPostgres({ settings: { max_connections: 300 } });
env['TEST_DATABASE_URL'] ??= server?.url();
await (isLong ? runLong() : runUsual());
await Bun.$`rm -rf ${folder} ${disk}`.nothrow(); // a browser that is still ending may write into it
for (const name of failed) console.log(`Failed: ${name}`);
console.log(`\n${failed.length === 0 ? 'Passed' : 'Failed'}, TEST_SEED=${seed}`);
process.exit(failed.length === 0 ? 0 : 1); // the database server ends with this process
