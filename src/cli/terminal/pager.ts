import type { Io } from '../io.ts';
import { rowsOf } from './width.ts';

/** Prints a text at a terminal: one that is longer than the screen through `PAGER`, else less, as git does. */
export async function printPaged(text: string, io: Io): Promise<void> {
  const { env, stdout } = io;
  const pager = (env['PAGER'] ?? 'less').trim();
  const isPaged = !['', 'cat'].includes(pager) && !fits(text, io) && Bun.which('sh') !== null;
  if (!isPaged || (await runPager(pager, text, io)) === notFound) stdout.write(text);
}

const fits = (text: string, { stdout: { rows = 24, columns = 80 } }: Io) => rowsOf(text, columns) <= rows;

/** The exit code of a shell that does not know the command. */
const notFound = 127;

/** Keys are the pager's, Ctrl+C too: the process does not end before it. */
async function runPager(pager: string, text: string, { env, stopping }: Io): Promise<number> {
  stopping();
  const child = Bun.spawn(['sh', '-c', `trap : INT; ${pager}`], {
    env: { LESS: 'FRX', LV: '-c', ...env },
    stdin: new TextEncoder().encode(text),
    stdout: 'inherit',
    stderr: 'inherit',
  });
  return await child.exited;
}
