/** Runs programs as other users; needs root. */
import { tmpdir } from 'node:os';
import { forEachLine, program, type Ran } from '../service.ts';
import { runProgramSyncOrThrow, tryAndFindObstacle } from './disk.ts';

/** Two unprivileged users. */
export const owner = 65534;
export const stranger = 65533;

const createUserSwitch = (user: number) => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] as const;

export const findObstacleToOtherUsers = () =>
  tryAndFindObstacle(() => runProgramSyncOrThrow(...createUserSwitch(owner), ...program, '--version'));

/** Runs a command as a user; stops a service that starts. */
export async function runNotesAsUser(
  user: number,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const child = Bun.spawn([...createUserSwitch(user), ...program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), PORT: '0', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let stdout = '';
  const reading = forEachLine(child.stdout, (line) => {
    stdout += `${line}\n`;
    if (line.includes('Notes listens at')) child.kill();
  });
  const [stderr] = await Promise.all([child.stderr.text(), reading]);
  return { code: await child.exited, stdout, stderr };
}
