import { groupInWords, type Labels, noLabels } from '../../../core/labels.ts';
import type { NoteHead } from '../../../core/note.ts';
import { matches } from '../../../core/search.ts';
import { invisible } from '../../../core/tools/invisible-characters.ts';
import { elapsed } from '../../../core/tools/text.ts';
import { cut, printable, type Style, widthOf } from '../../terminal/style.ts';

interface TableOptions {
  /** Width of the terminal. */
  readonly columns: number;
  readonly style: Style;
  /** In ms since 1970, for ages. */
  readonly now: number;
  /** Words to highlight in the titles. */
  readonly query?: string;
  /** Names of groups. */
  readonly labels?: Labels;
}

const gap = '  ';
const dot = '●';
const minTitle = 20;
const maxAge = '59min'.length;

interface Column {
  readonly width: number;
  readonly text: (note: NoteHead) => string;
}

/** Formats notes as a table, one line each. Archived notes are dim and marked as such. */
export function tableOf(
  notes: readonly NoteHead[],
  { columns, style, now, query = '', labels = noLabels }: TableOptions,
): string {
  const idWidth = longest(notes, ({ id }) => String(id));
  const room = columns - idWidth - widthOf(`${gap}${dot} `);
  const details = detailsIn(room, notes, { now, labels });
  const titleWidth = Math.max(minTitle, room - spaceOf(details));
  const lineOf = (note: NoteHead) => {
    const title = cut(printable(note.archived ? `${note.title} (archived)` : note.title), titleWidth);
    const blanks = ' '.repeat(titleWidth - widthOf(title));
    const rest = details.map(({ text, width }) => gap + padded(text(note), width)).join('');
    const id = style.dim(String(note.id).padStart(idWidth));
    const set = note.archived ? style.dim(title) : marked(title, query, style);
    return `${id}${gap}${style.color(note.color, dot)} ${set}${style.dim(`${blanks}${rest}`.trimEnd())}\n`;
  };
  return notes.map(lineOf).join('');
}

const longest = (notes: readonly NoteHead[], textOf: (note: NoteHead) => string) =>
  notes.reduce((max, note) => Math.max(max, widthOf(textOf(note))), 0);

const padded = (text: string, width: number) => text + ' '.repeat(width - widthOf(text));

type DetailOptions = Required<Pick<TableOptions, 'now' | 'labels'>>;

/** Returns the columns after the title that fit into the width. */
function detailsIn(room: number, notes: readonly NoteHead[], { now, labels }: DetailOptions): readonly Column[] {
  const groupOf = (note: NoteHead) => printable(groupInWords(note.group, labels));
  const category = { text: (note: NoteHead) => note.category, width: longest(notes, (note) => note.category) };
  const group = { text: groupOf, width: longest(notes, groupOf) };
  const changed = { text: (note: NoteHead) => age(note.updatedAt, now), width: maxAge };
  const choices = [[category, group, changed], [category, changed], [changed]];
  return choices.find((details) => room - spaceOf(details) >= minTitle) ?? [];
}

const spaceOf = (details: readonly Column[]) => details.reduce((total, { width }) => total + gap.length + width, 0);

const short = { year: 'y', month: 'mo', week: 'w', day: 'd', hour: 'h', minute: 'min' } as const;

/** Age of a timestamp, such as `3h` or `2w`. */
function age(timestamp: string, now: number): string {
  const { count, unit } = elapsed(timestamp, now);
  return unit === 'second' ? 'now' : `${count}${short[unit]}`;
}

/** Highlights the words of `query`. */
function marked(text: string, query: string, style: Style): string {
  if (query === '' || !style.hasColor) return text;
  let at = 0;
  let shown = '';
  for (const { start, end } of matches(text, query)) {
    shown += text.slice(at, start) + style.bold(style.underline(text.slice(start, end)));
    at = end;
  }
  return shown + text.slice(at);
}

/**
 * Formats notes as tab-separated lines: id, title, category, group, color, archived, updatedAt. Characters that would
 * break a line or control a terminal are escaped as `printf %b` reads them: \t, \n, \r, \\, \x1b, \u202e.
 */
export function tsvOf(notes: readonly NoteHead[]): string {
  let lines = '';
  for (const { id, title, category, group, color, archived, updatedAt } of notes) {
    lines += `${id}\t${escaped(title)}\t${category}\t${group}\t${color}\t${archived}\t${updatedAt}\n`;
  }
  return lines;
}

/** Fast path: most titles need no escapes. */
const plain = /^[ -[\]-~]*$/;
const special = /[\\\p{Cc}\u2028\u2029]/gu;
const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

const escaped = (text: string) =>
  plain.test(text) ? text : text.replace(special, escapeOf).replace(invisible, escapeOf);

function escapeOf(character: string): string {
  const code = character.charCodeAt(0);
  const number = code < 0x80 ? `x${code.toString(16).padStart(2, '0')}` : `u${code.toString(16).padStart(4, '0')}`;
  return escapes[character] ?? `\\${number}`;
}
