import { groupInWords, type Labels } from '../../core/labels.ts';
import type { Note } from '../../core/note.ts';
import { piecesOf } from '../../core/placeholders.ts';
import { printable, printableLines, type Style } from './style.ts';

/** Formats a note for reading: title, a line of facts, text. Ends with a line break. */
export function pageOf(note: Note, style: Style, labels: Labels): string {
  const { id, title, content, category, group, color, archived, updatedAt } = note;
  const facts = [
    `#${id}`,
    category,
    printable(groupInWords(group, labels)),
    style.color(color, color),
    ...(archived ? ['archived'] : []),
    timeOf(updatedAt),
  ];
  const text = piecesOf(content)
    .map((piece) => (piece.name === undefined ? printableLines(piece.text) : style.bold(printableLines(piece.text))))
    .join('');
  const end = text.endsWith('\n') ? '' : '\n';
  return `${style.bold(printable(title))}\n${style.dim(facts.join(' · '))}\n\n${text}${end}`;
}

/** Date and time in the local time zone, in the order of ISO 8601, as Swedish has it. */
export const timeOf = (timestamp: string): string =>
  new Date(timestamp).toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' });
