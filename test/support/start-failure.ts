import { tmpdir } from 'node:os';
import { program } from './service.ts';

/** The result of a refused start. */
export interface StartFailure {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The time from start to end. */
  readonly ms: number;
}

/** Starts `notes serve` with settings that it must refuse. Kills it after 30 s if it serves: code null. */
export async function startAndExpectFailure(env: Readonly<Record<string, string>>): Promise<StartFailure> {
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
