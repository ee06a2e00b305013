/** Figures, the one table that all benchmarks print, and the pages that keep them. */
import { join } from 'node:path';

export const formatDecimal = (value: number, digits = 0): string =>
  Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Returns the value in the middle of an odd number of values. */
export const getMedian = (values: readonly number[]) => getQuantile(values, 0.5);

/** Returns NaN if there are no values. */
export function getQuantile(values: readonly number[], share: number): number {
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
  /** Whether what it is a ratio to varied so much during the run that it is held to no bar. */
  readonly isFloorNoisy?: boolean;
}

/** A figure that could not be measured misses its bar. */
export const isBarMet = ({ value, bar, isFloorNoisy = false }: Figure) =>
  bar === undefined || isFloorNoisy || value <= bar;

export const formatFigureTable = (figures: readonly Figure[]): string =>
  formatMarkdownTable([
    ['', 'Measured', 'Bar', ''],
    ...figures.map((figure) => {
      const { name, value, unit, bar, digits = 0 } = figure;
      const shown = [name, `${formatDecimal(value, digits)} ${unit}`];
      return bar === undefined ? shown : [...shown, `${bar.toLocaleString('en')} ${unit}`, formatVerdict(figure)];
    }),
  ]);

function formatVerdict(figure: Figure): string {
  if (figure.isFloorNoisy) return 'not judged: the floor is noisy';
  return isBarMet(figure) ? 'met' : 'NOT MET';
}

/** Formats a Markdown table whose columns are aligned as text too. The first row is the head. */
export function formatMarkdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const lines = rows.map((row) => line(widths.map((width, column) => alignCellByContent(row[column] ?? '', width))));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Aligns numbers to the right and words to the left. */
const alignCellByContent = (text: string, width: number) =>
  /^[\d.,]+$/.test(text) ? text.padStart(width) : text.padEnd(width);

/** Replaces the section with this heading in a page of this folder, or adds it at the end. */
export async function replaceOrAppendSection(page: string, heading: string, text: string): Promise<void> {
  const path = join(import.meta.dir, '..', page);
  const sections = (await Bun.file(path).text()).trimEnd().split(/\n+(?=## )/);
  const section = `## ${heading}\n\n${text.trim()}`;
  const index = sections.findIndex((other) => other.startsWith(`## ${heading}\n`));
  if (index < 0) sections.push(section);
  else sections[index] = section;
  await Bun.write(path, `${sections.join('\n\n')}\n`);
}
