import { tmpdir } from 'node:os';
import { program } from './service.ts';

/** How a service ended that could not start. */
export interface Refusal {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** How long it took to start and end. */
  readonly ms: number;
}

/** Starts `notes serve` with settings that it must refuse. One that serves instead is killed after 10 s: code null. */
export async function serveInVain(env: Readonly<Record<string, string>>): Promise<Refusal> {
  const started = performance.now();
  const child = Bun.spawn([...program, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), PORT: '0', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { code: child.exitCode, stdout, stderr, ms: performance.now() - started };
}
