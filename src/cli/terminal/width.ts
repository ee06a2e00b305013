/** Texts of which each character takes one column, most of all. */
export const simple = /^[ -~]*$/;

/** The columns that a printable text takes on a terminal. */
export const widthOf = (text: string): number => (simple.test(text) ? text.length : Bun.stringWidth(text));

/** The rows that a printable text takes on a terminal of so many columns. */
export const rowsOf = (text: string, columns: number): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);

/** The text in at most `columns` columns, with … where it was cut. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const room = columns - 1;
  const start = Bun.sliceAnsi(text, 0, room);
  const isOver = widthOf(start) > room; // half of a wide character was in the room, and it is there as a whole
  return `${isOver ? Bun.sliceAnsi(text, 0, room - 1) : start}…`;
}
