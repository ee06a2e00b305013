/** Figures, the one table that all benchmarks print, and the pages that keep them. */
import { join } from 'node:path';

export const decimal = (value: number, digits = 0): string =>
  Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The middle one of an odd number of values. */
export const median = (values: readonly number[]) => quantile(values, 0.5);

/** NaN of no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** A figure with the bar that it must not exceed, if there is one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bar?: number;
  readonly digits?: number;
}

/** A figure that could not be measured misses its bar. */
export const isMet = ({ value, bar }: Figure) => bar === undefined || value <= bar;

export const figureTable = (figures: readonly Figure[]): string =>
  table([
    ['', 'Measured', 'Bar', ''],
    ...figures.map((figure) => {
      const { name, value, unit, bar, digits = 0 } = figure;
      const shown = [name, `${decimal(value, digits)} ${unit}`];
      return bar === undefined ? shown : [...shown, `${decimal(bar)} ${unit}`, isMet(figure) ? 'met' : 'NOT MET'];
    }),
  ]);

/** A Markdown table whose columns are aligned as text too. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const lines = rows.map((row) => line(widths.map((width, column) => padded(row[column] ?? '', width))));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Numbers to the right, words to the left. */
const padded = (text: string, width: number) => (/^[\d.,]+$/.test(text) ? text.padStart(width) : text.padEnd(width));

/** Replaces the section with this heading in a page of this folder, or adds it at the end. */
export async function writeSection(page: string, heading: string, text: string): Promise<void> {
  const path = join(import.meta.dir, '..', page);
  const sections = (await Bun.file(path).text()).trimEnd().split(/\n+(?=## )/);
  const section = `## ${heading}\n\n${text.trim()}`;
  const index = sections.findIndex((other) => other.startsWith(`## ${heading}\n`));
  if (index < 0) sections.push(section);
  else sections[index] = section;
  await Bun.write(path, `${sections.join('\n\n')}\n`);
}
