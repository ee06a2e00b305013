/**
 * Installs what is missing, exactly as package-lock.json says; prints and changes nothing when all is there.
 * `--omit=dev` asks only for what the service needs to run. `--check` installs nothing: it ends with 1 when something is
 * missing, and says what to do. Runs on Node, because Bun itself may be missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const flags = process.argv.slice(2);
const isCheck = flags.includes('--check');
const omit = flags.filter((flag) => flag !== '--check');
const withDev = !omit.includes('--omit=dev');
const inProject = (path) => new URL(`../${path}`, import.meta.url);

function readPackages(lockfile) {
  try {
    return JSON.parse(readFileSync(inProject(lockfile), 'utf8')).packages;
  } catch {
    return {};
  }
}

const installed = readPackages('node_modules/.package-lock.json');
const isVersionInstalled = (path, version) => installed[path]?.version === version && existsSync(inProject(path));
const missing = Object.entries(readPackages('package-lock.json')).filter(
  ([path, wanted]) =>
    path !== '' && !wanted.optional && (withDev || !wanted.dev) && !isVersionInstalled(path, wanted.version),
);

if (missing.length > 0 && isCheck) {
  const names = missing.map(([path]) => path.replace(/^.*node_modules\//, ''));
  const shown = names.length > 3 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  console.error(`Run npm ci first. Packages that are missing or of another version: ${shown.join(', ')}`);
  process.exit(1);
}
if (missing.length > 0) {
  console.error(`Installing ${missing.length} packages …`);
  const windows = process.platform === 'win32';
  const { status } = spawnSync('npm', ['ci', ...omit], { stdio: ['ignore', 'ignore', 'inherit'], shell: windows });
  process.exit(status ?? 1);
}
