import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { ConfigError } from '../../config/config.ts';
import type { Note } from '../../core/note.ts';
import { formatInteger } from '../../core/text/format-counts.ts';
import { canPrompt, type Input, type Io } from '../io.ts';
import { toPrintableLine } from '../terminal/printable-text.ts';
import { createStyleForOutput } from '../terminal/style.ts';

const maxListed = 10;

/**
 * Lists the notes to be changed on stderr below `what`, and asks for confirmation, unless there is only one note.
 * Throws `ConfigError` if the user cannot be asked.
 */
export async function printAndConfirmIfSeveralNotes(
  notes: readonly Pick<Note, 'id' | 'title'>[],
  what: string,
  io: Io,
): Promise<boolean> {
  if (notes.length <= 1) return true;
  const { dim } = createStyleForOutput(io.stderr, io.env);
  const lines = notes.slice(0, maxListed).map(({ id, title }) => `  ${dim(`${id}`)}  ${toPrintableLine(title)}\n`);
  const rest = notes.length > maxListed ? `  and ${formatInteger(notes.length - maxListed)} more\n` : '';
  io.stderr.write(`${what}:\n${lines.join('')}${rest}`);
  return confirmChangeOnTerminal(io);
}

/** Asks for confirmation. Throws `ConfigError` if the user cannot be asked. */
async function confirmChangeOnTerminal(io: Io): Promise<boolean> {
  const stdin = canPrompt(io) ? io.stdin : tryOpenControllingTerminal(io);
  if (stdin === undefined)
    throw new ConfigError('Cannot ask without a terminal, so nothing was changed: add --yes to confirm');
  const isAgreed = await confirmOrPrintNothingChanged('Do this?', { ...io, stdin });
  if (stdin !== io.stdin) stdin.destroy();
  return isAgreed;
}

/** Asks for confirmation on a terminal. */
export async function confirmOrPrintNothingChanged(question: string, io: Io): Promise<boolean> {
  const { confirmQuestion } = await import('../terminal/prompt.ts');
  const isAgreed = await confirmQuestion(question, io);
  if (!isAgreed) io.stderr.write('Nothing was changed\n');
  return isAgreed;
}

/** Opens the terminal to type on while a list is piped into standard input; undefined if there is none. */
function tryOpenControllingTerminal({ stderr }: Pick<Io, 'stderr'>): Input | undefined {
  if (!stderr.isTTY) return undefined;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined;
  }
}
