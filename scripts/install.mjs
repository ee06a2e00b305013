/**
 * Installs what is missing, exactly as package-lock.json says; prints and changes nothing when all is there.
 * `--omit=dev` asks only for what the service needs to run. Runs on Node, because Bun itself may be missing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const omit = process.argv.slice(2);
const withDev = !omit.includes('--omit=dev');

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(new URL(`../${lockfile}`, import.meta.url), 'utf8')).packages;
  } catch {
    return {};
  }
}

const installed = packagesOf('node_modules/.package-lock.json');
const missing = Object.entries(packagesOf('package-lock.json')).filter(
  ([path, wanted]) =>
    path !== '' && !wanted.optional && (withDev || !wanted.dev) && installed[path]?.version !== wanted.version,
);

if (missing.length > 0) {
  console.error(`Installing ${missing.length} packages …`);
  const windows = process.platform === 'win32';
  const { status } = spawnSync('npm', ['ci', ...omit], { stdio: ['ignore', 'ignore', 'inherit'], shell: windows });
  process.exit(status ?? 1);
}
