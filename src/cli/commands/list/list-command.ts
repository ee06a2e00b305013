import { Option } from 'commander';
import { groupInWords, type Labels, noLabels } from '../../../core/labels.ts';
import type { NoteHead } from '../../../core/note.ts';
import { notAFilterIn, parseQuery, unfinishedIn } from '../../../core/query.ts';
import { matches } from '../../../core/search.ts';
import type { Found, PortableStore } from '../../../core/store.ts';
import { invisible } from '../../../core/tools/invisible-characters.ts';
import { count, counted, elapsed } from '../../../core/tools/text.ts';
import {
  addExamples,
  addFilterFlags,
  addStoreFlags,
  parsePositiveInteger,
  type StoreFlags,
  sortOrders,
} from '../../flags.ts';
import type { DefineCommand, Io } from '../../io.ts';
import { openNotes } from '../../notes/open-notes.ts';
import { createSelection, type FindOptions, findNotes } from '../../notes/select-notes.ts';
import {
  createStyle,
  encodePrintableJson,
  getTerminalSize,
  measureWidth,
  type Style,
  toPrintableLine,
  truncateToWidth,
} from '../../terminal/style.ts';

interface ListFlags extends StoreFlags, FindOptions {
  readonly json?: boolean;
}

export const defineListCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('list [words...]')
    .alias('ls')
    .summary('list notes, or those with all these words')
    .description('list notes, or those with all these words: as a table, or without a terminal as tab-separated lines')
    .option('-n, --limit <number>', 'show at most this many', parsePositiveInteger)
    .addOption(
      new Option('--sort <order>', 'by last change, creation or title, instead of the best match').choices(sortOrders),
    )
    .option('--json', 'as a JSON array');
  addExamples(addStoreFlags(addFilterFlags(command, io)), [
    ['notes list', 'all active notes, the newest first'],
    ['notes ls git reset -c bash-commands', 'commands with both words'],
    ['notes ls c:css,prompts color:info', 'filters among the words: c: g: color: archived:'],
    ['notes ls -c css,prompts --sort title', ''],
    ['notes ls --json | jq -r ".[].title"', 'for other programs'],
  ]).action(
    run(async (words: string[], flags: ListFlags) => {
      await using store = await openNotes(io, flags);
      const found = await findListedNotes(store, words, flags);
      if (flags.json) return void io.stdout.write(`${encodePrintableJson(found.notes)}\n`);
      const needsLabels = io.stdout.isTTY || found.total === 0;
      const labels = needsLabels ? await store.labels() : noLabels;
      const line = words.join(' ');
      if (found.notes.length === 0) printNoNotes(line, flags, labels, io);
      else printNotes(found, line, labels, io);
    }),
  );
};

/** Contents are read only to be searched, sorted or printed. */
async function findListedNotes(
  store: PortableStore,
  words: readonly string[],
  flags: ListFlags,
): Promise<Found<NoteHead>> {
  const { limit, sort, json } = flags;
  const { filter, line } = createSelection(words.join(' '), flags);
  const needsNotes = line !== '' || sort !== undefined || json;
  if (store.newestHeads === undefined || needsNotes) return findNotes(store, words, flags);
  return store.newestHeads({ ...filter, ...(limit && { limit }) });
}

function printNotes(
  { notes, total }: Found<NoteHead>,
  line: string,
  labels: Labels,
  { stdout, stderr, env }: Io,
): void {
  const { words: query } = parseQuery(line, labels);
  const looks = {
    columns: getTerminalSize(stdout).columns,
    style: createStyle(stdout, env),
    now: Date.now(),
    query,
    labels,
  };
  stdout.write(stdout.isTTY ? formatNoteTable(notes, looks) : formatNoteLines(notes));
  if (notes.length === total) return;
  stderr.write(`${createStyle(stderr, env).dim(`${count(notes.length)} of ${counted(total)}`)}\n`);
}

function printNoNotes(line: string, flags: ListFlags, labels: Labels, { stdout, stderr }: Io): void {
  const { words: query, filters } = parseQuery(line, labels);
  const isAll = flags.all || flags.archived || filters.archived !== undefined;
  const none = query === '' ? 'No notes' : 'No note has all these words';
  const hint = formatFilterHints(line, labels);
  if (stdout.isTTY) stderr.write(`${[none, ...(isAll ? [] : ['--all includes archived ones']), ...hint].join('. ')}\n`);
  else for (const sentence of hint) stderr.write(`notes: ${sentence}\n`);
}

/** Names what a word that is no filter may stand for, if there is one. */
function formatFilterHints(line: string, labels: Labels): readonly string[] {
  const { choices = [] } = unfinishedIn(line, labels) ?? {};
  if (choices.length > 0) return [`Did you mean ${choices.map(({ word }) => word).join(' or ')}?`];
  const word = notAFilterIn(line, labels);
  return word === undefined ? [] : [`"${toPrintableLine(word)}" is no filter, so it was taken as a word`];
}

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
  const idWidth = measureLongest(notes, ({ id }) => String(id));
  const room = columns - idWidth - measureWidth(`${gap}${colorDot} `);
  const details = chooseDetailColumns(room, notes, { now, labels });
  const titleWidth = Math.max(minTitle, room - measureColumns(details));
  const formatRow = (note: NoteHead) => {
    const title = truncateToWidth(toPrintableLine(note.archived ? `${note.title} (archived)` : note.title), titleWidth);
    const blanks = ' '.repeat(titleWidth - measureWidth(title));
    const rest = details.map(({ text, width }) => gap + padToWidth(text(note), width)).join('');
    const id = style.dim(String(note.id).padStart(idWidth));
    const set = note.archived ? style.dim(title) : highlightWords(title, query, style);
    return `${id}${gap}${style.color(note.color, colorDot)} ${set}${style.dim(`${blanks}${rest}`.trimEnd())}\n`;
  };
  return notes.map(formatRow).join('');
}

const measureLongest = (notes: readonly NoteHead[], getText: (note: NoteHead) => string) =>
  notes.reduce((max, note) => Math.max(max, measureWidth(getText(note))), 0);

const padToWidth = (text: string, width: number) => text + ' '.repeat(width - measureWidth(text));

type DetailOptions = Required<Pick<TableOptions, 'now' | 'labels'>>;

/** Returns the columns after the title that fit into the width. */
function chooseDetailColumns(
  room: number,
  notes: readonly NoteHead[],
  { now, labels }: DetailOptions,
): readonly Column[] {
  const formatGroup = (note: NoteHead) => toPrintableLine(groupInWords(note.group, labels));
  const category = { text: (note: NoteHead) => note.category, width: measureLongest(notes, (note) => note.category) };
  const group = { text: formatGroup, width: measureLongest(notes, formatGroup) };
  const changed = { text: (note: NoteHead) => formatAge(note.updatedAt, now), width: maxAge };
  const choices = [[category, group, changed], [category, changed], [changed]];
  return choices.find((details) => room - measureColumns(details) >= minTitle) ?? [];
}

const measureColumns = (details: readonly Column[]) =>
  details.reduce((total, { width }) => total + gap.length + width, 0);

const shortUnits = { year: 'y', month: 'mo', week: 'w', day: 'd', hour: 'h', minute: 'min' } as const;

/** Age of a timestamp, such as `3h` or `2w`. */
function formatAge(timestamp: string, now: number): string {
  const { count, unit } = elapsed(timestamp, now);
  return unit === 'second' ? 'now' : `${count}${shortUnits[unit]}`;
}

/** Highlights the words of `query`. */
function highlightWords(text: string, query: string, style: Style): string {
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
export function formatNoteLines(notes: readonly NoteHead[]): string {
  let lines = '';
  for (const { id, title, category, group, color, archived, updatedAt } of notes) {
    lines += `${id}\t${escapeForTsv(title)}\t${category}\t${group}\t${color}\t${archived}\t${updatedAt}\n`;
  }
  return lines;
}

/** Fast path: most titles need no escapes. */
const plainText = /^[ -[\]-~]*$/;
const specialCharacters = /[\\\p{Cc}\u2028\u2029]/gu;
const escapes: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

const escapeForTsv = (text: string) =>
  plainText.test(text) ? text : text.replace(specialCharacters, escapeCharacter).replace(invisible, escapeCharacter);

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const number = code < 0x80 ? `x${code.toString(16).padStart(2, '0')}` : `u${code.toString(16).padStart(4, '0')}`;
  return escapes[character] ?? `\\${number}`;
}
