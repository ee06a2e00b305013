import { groupInWords, type Labels } from '../../core/labels.ts';
import type { Note } from '../../core/note.ts';
import { piecesOf } from '../../core/placeholders.ts';
import type { Io } from '../io.ts';
import { countRows, getTerminalSize, type Style, toPrintableLine, toPrintableText } from './style.ts';

/** Formats a note for reading: title, a line of facts, text. Ends with a line break. */
export function formatNotePage(note: Note, style: Style, labels: Labels): string {
  const { id, title, content, category, group, color, archived, updatedAt } = note;
  const facts = [
    `#${id}`,
    category,
    toPrintableLine(groupInWords(group, labels)),
    style.color(color, color),
    ...(archived ? ['archived'] : []),
    formatLocalTime(updatedAt),
  ];
  const text = piecesOf(content)
    .map((piece) => (piece.name === undefined ? toPrintableText(piece.text) : style.bold(toPrintableText(piece.text))))
    .join('');
  const end = text.endsWith('\n') ? '' : '\n';
  return `${style.bold(toPrintableLine(title))}\n${style.dim(facts.join(' · '))}\n\n${text}${end}`;
}

/** Date and time in the local time zone, in the order of ISO 8601, as Swedish has it. */
export const formatLocalTime = (timestamp: string): string =>
  new Date(timestamp).toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' });

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
