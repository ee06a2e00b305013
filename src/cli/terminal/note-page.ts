import type { Note } from '../../core/note.ts';
import { splitAtPlaceholders } from '../../core/placeholders.ts';
import { formatValueWithLabel, type Labels } from '../../core/value-labels.ts';
import { toPrintableLine, toPrintableText } from './printable-text.ts';
import type { Style } from './style.ts';

/** Formats a note for reading: title, a line of facts, text. Ends with a line break. */
export function formatNotePage(note: Note, style: Style, labels: Labels): string {
  const { id, title, content, category, group, color, archived, updatedAt } = note;
  const facts = [
    `#${id}`,
    toPrintableLine(formatValueWithLabel(category, labels)),
    toPrintableLine(formatValueWithLabel(group, labels)),
    style.color(color, color),
    ...(archived ? ['archived'] : []),
    formatLocalTime(updatedAt),
  ];
  const text = splitAtPlaceholders(content)
    .map((piece) => (piece.name === undefined ? toPrintableText(piece.text) : style.bold(toPrintableText(piece.text))))
    .join('');
  const end = text.endsWith('\n') ? '' : '\n';
  return `${style.bold(toPrintableLine(title))}\n${style.dim(facts.join(' · '))}\n\n${text}${end}`;
}

/** Date and time in the local time zone, in the order of ISO 8601, as Swedish has it. */
export const formatLocalTime = (timestamp: string): string =>
  new Date(timestamp).toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' });
