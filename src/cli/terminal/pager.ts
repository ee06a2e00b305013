import type { Io } from '../io.ts';
import { countRows, getTerminalSize } from './text-width.ts';

/** Prints a text on a terminal. Uses `PAGER`, else less, if the text is longer than the screen, as git does. */
export async function printWithPager(text: string, io: Io): Promise<void> {
  const { env, stdout } = io;
  const { columns, rows } = getTerminalSize(stdout);
  const isLong = countRows(text, columns) > rows;
  const pager = (env['PAGER'] ?? 'less').trim();
  const isPaged = !['', 'cat'].includes(pager) && isLong && Bun.which('sh') !== null;
  if (!isPaged || (await runPager(pager, text, io)) === unknownCommandExitCode) stdout.write(text);
}

/** Exit code of a shell for an unknown command. */
const unknownCommandExitCode = 127;

/** Leaves all keys to the pager, Ctrl+C too, and waits for it to end. */
async function runPager(pager: string, text: string, { env, handleSignals }: Io): Promise<number> {
  handleSignals();
  const child = Bun.spawn(['sh', '-c', `trap : INT; ${pager}`], {
    env: { LESS: 'FRX', LV: '-c', ...env },
    stdin: new TextEncoder().encode(text),
    stdout: 'inherit',
    stderr: 'inherit',
  });
  return await child.exited;
}
