import type { Output } from '../io.ts';
import { singleWidthText } from './printable-text.ts';

/** Returns the width of a printable text on a terminal, in columns. */
export const measureWidth = (text: string): number =>
  singleWidthText.test(text) ? text.length : Bun.stringWidth(text);

/** Returns the size of a terminal; a common one if it is unknown, which some consoles report as 0. */
export const getTerminalSizeOrDefault = ({ columns, rows }: Pick<Output, 'columns' | 'rows'>) => ({
  columns: columns || 80,
  rows: rows || 24,
});

/** Counts the rows that a printable text fills on a terminal with so many columns. */
export function countRows(text: string, columns: number): number {
  let rows = 0;
  for (const line of text.split('\n')) rows += Math.max(1, Math.ceil(measureWidth(line) / columns));
  return rows;
}

/** Truncates a text to `columns` columns, with … at the end. */
export function truncateToWidth(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text;
  const room = columns - 1;
  const start = Bun.sliceAnsi(text, 0, room);
  const isOver = measureWidth(start) > room; // sliceAnsi includes a wide character of which only half fits
  return `${isOver ? Bun.sliceAnsi(text, 0, room - 1) : start}…`;
}
