import type { NoteHead } from '../../../core/note.ts';
import { findMatchesInText } from '../../../core/search.ts';
import { toElapsedTime } from '../../../core/text/elapsed-time.ts';
import { formatValueWithLabel, type Labels, noLabels } from '../../../core/value-labels.ts';
import { toPrintableLine } from '../../terminal/printable-text.ts';
import type { Style } from '../../terminal/style.ts';
import { measureWidth, truncateToWidth } from '../../terminal/text-width.ts';

interface TableOptions {
  /** Width of the terminal. */
  readonly columns: number;
  readonly style: Style;
  /** In ms since 1970, for ages. */
  readonly now: number;
  /** Words to highlight in the titles. */
  readonly query?: string;
  /** Names of categories and groups. */
  readonly labels?: Labels;
}

const gap = '  ';

const colorDot = '●';

const minTitle = 20;

const maxAge = '59min'.length;

interface Column {
  readonly width: number;
  readonly text: (note: NoteHead) => string;
}

/** Formats notes as a table, one line each. Archived notes are dim and marked as such. */
export function formatNoteTable(
  notes: readonly NoteHead[],
  { columns, style, now, query = '', labels = noLabels }: TableOptions,
): string {
  const idWidth = measureColumnWidth(notes, ({ id }) => String(id));
  const room = columns - idWidth - measureWidth(`${gap}${colorDot} `);
  const details = chooseDetailColumns(room, notes, { now, labels });
  const titleWidth = Math.max(minTitle, room - sumColumnWidthsAndGaps(details));
  const formatRow = (note: NoteHead) => {
    const title = truncateToWidth(toPrintableLine(note.archived ? `${note.title} (archived)` : note.title), titleWidth);
    const blanks = ' '.repeat(titleWidth - measureWidth(title));
    const rest = details.map(({ text, width }) => gap + padToWidth(text(note), width)).join('');
    const id = style.dim(String(note.id).padStart(idWidth));
    const set = note.archived ? style.dim(title) : highlightMatches(title, query, style);
    return `${id}${gap}${style.color(note.color, colorDot)} ${set}${style.dim(`${blanks}${rest}`.trimEnd())}\n`;
  };
  return notes.map(formatRow).join('');
}

const measureColumnWidth = (notes: readonly NoteHead[], getText: (note: NoteHead) => string) =>
  notes.reduce((max, note) => Math.max(max, measureWidth(getText(note))), 0);

const padToWidth = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - measureWidth(text)));

type DetailOptions = Required<Pick<TableOptions, 'now' | 'labels'>>;

/** Returns the columns after the title that fit into the width. */
function chooseDetailColumns(
  room: number,
  notes: readonly NoteHead[],
  { now, labels }: DetailOptions,
): readonly Column[] {
  const formatGroup = (note: NoteHead) => toPrintableLine(formatValueWithLabel(note.group, labels));
  const formatCategory = (note: NoteHead) => toPrintableLine(formatValueWithLabel(note.category, labels));
  const category = { text: formatCategory, width: measureColumnWidth(notes, formatCategory) };
  const group = { text: formatGroup, width: measureColumnWidth(notes, formatGroup) };
  const changed = { text: (note: NoteHead) => formatAge(note.updatedAt, now), width: maxAge };
  const choices = [[category, group, changed], [category, changed], [changed]];
  return choices.find((details) => room - sumColumnWidthsAndGaps(details) >= minTitle) ?? [];
}

const sumColumnWidthsAndGaps = (details: readonly Column[]) =>
  details.reduce((total, { width }) => total + gap.length + width, 0);

const shortUnits = { year: 'y', month: 'mo', week: 'w', day: 'd', hour: 'h', minute: 'min' } as const;

/** Formats the age of a timestamp, such as `3h` or `2w`. */
function formatAge(timestamp: string, now: number): string {
  const { count, unit } = toElapsedTime(timestamp, now);
  return unit === 'second' ? 'now' : `${count}${shortUnits[unit]}`;
}

/** Highlights the words of `query`. */
function highlightMatches(text: string, query: string, style: Style): string {
  if (query === '' || !style.hasColor) return text;
  let at = 0;
  let shown = '';
  for (const { start, end } of findMatchesInText(text, query)) {
    shown += text.slice(at, start) + style.bold(style.underline(text.slice(start, end)));
    at = end;
  }
  return shown + text.slice(at);
}
