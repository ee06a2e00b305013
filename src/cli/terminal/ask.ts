import { createInterface } from 'node:readline/promises';
import { NoteError } from '../../domain/error.ts';
import { Interrupted } from '../exit-code.ts';
import { type Io, isInteractive } from '../io.ts';
import { screenOf } from './screen.ts';
import { printable } from './style.ts';

/**
 * The line that a person answers, asked on stderr. Throws `Interrupted` on Ctrl+C and Ctrl+D, and `invalid` where nobody is
 * there to answer: whoever knows a flag for that looks at `isInteractive` first.
 */
export async function askText(question: string, io: Io): Promise<string> {
  if (!isInteractive(io)) throw new NoteError('invalid', `No terminal is there to ask at: ${printable(question)}`);
  using screen = screenOf(io);
  const lines = createInterface({ input: io.stdin, output: screen, terminal: true });
  const ending = new AbortController();
  lines.on('close', () => ending.abort()); // by Ctrl+C, Ctrl+D, or as the terminal goes
  try {
    return await lines.question(`${printable(question)} `, { signal: ending.signal });
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    io.stderr.write('\n');
    throw new Interrupted();
  } finally {
    lines.close();
  }
}

/** Whether a person says yes; no answer is no. Throws as `askText` does. */
export const confirm = async (question: string, io: Io): Promise<boolean> =>
  /^\s*y(es)?\s*$/i.test(await askText(`${question} [y/N]`, io));
