/**
 * Runs the service, and restarts it when a file below src changes. `bun --watch` does not notice the files of the page,
 * which is bundled at its first request. Stores notes in dist/dev unless DATABASE_URL is set.
 */
import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const folder = join(root, 'dist', 'dev');
mkdirSync(folder, { recursive: true });
const env = { DATABASE_URL: `sqlite:${join(folder, 'notes.db')}`, ...process.env };

const startService = () =>
  Bun.spawn([process.execPath, 'src/main.ts', 'serve', ...process.argv.slice(2)], {
    cwd: root,
    env,
    stdio: ['inherit', 'inherit', 'inherit'],
  });

let service = startService();
let restarted = Promise.resolve();
let timer: Timer | undefined;

async function restartService(): Promise<void> {
  service.kill('SIGTERM');
  await service.exited;
  service = startService();
}

watch(join(root, 'src'), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    restarted = restarted.then(restartService);
  }, 100); // editors write a file in several steps
});

process.on('SIGTERM', async () => {
  service.kill('SIGTERM');
  process.exit(await service.exited);
});
process.on('SIGINT', async () => process.exit(await service.exited)); // Ctrl+C reaches the service too
