/** Markdown tables whose columns are aligned as text too. */

export type Row = readonly string[];

/** The first row is the head. */
export function table(rows: readonly Row[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const lines = rows.map((row) => line(widths.map((width, column) => padded(row[column] ?? '', width))));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Numbers to the right, words to the left. */
const padded = (text: string, width: number) =>
  /^[\d.,]+( %)?$/.test(text) ? text.padStart(width) : text.padEnd(width);
