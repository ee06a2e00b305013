import type { Io } from '../io.ts';
import { unknownCommandExitCode } from './shell-exit-codes.ts';
import { countRows, getTerminalSizeOrDefault } from './text-width.ts';

/** Prints a text on a terminal. Uses `PAGER`, else less, if the text is longer than the screen, as git does. */
export async function printOnTerminalWithPagerIfLong(text: string, io: Io): Promise<void> {
  const { env, stdout } = io;
  const { columns, rows } = getTerminalSizeOrDefault(stdout);
  const isLong = countRows(text, columns) > rows;
  const pager = (env['PAGER'] ?? 'less').trim();
  const isPaged = !['', 'cat'].includes(pager) && isLong && Bun.which('sh') !== null;
  if (!isPaged || (await runPagerForExitCode(pager, text, io)) === unknownCommandExitCode) stdout.write(text);
}

/** Leaves all keys to the pager, Ctrl+C too, and waits for it to end. */
async function runPagerForExitCode(pager: string, text: string, { env, handleSignals }: Io): Promise<number> {
  handleSignals();
  const child = Bun.spawn(['sh', '-c', `trap : INT; ${pager}`], {
    env: { LESS: 'FRX', LV: '-c', ...env },
    stdin: new TextEncoder().encode(text),
    stdout: 'inherit',
    stderr: 'inherit',
  });
  return await child.exited;
}
