import { Option } from 'commander';
import { groupInWords, type Labels, noLabels } from '../../core/labels.ts';
import type { NoteHead } from '../../core/note.ts';
import { notAFilterIn, parseQuery, unfinishedIn } from '../../core/query.ts';
import { matches } from '../../core/search.ts';
import type { Found, PortableStore } from '../../core/store.ts';
import { invisible } from '../../core/tools/invisible-characters.ts';
import { count, counted, elapsed } from '../../core/tools/text.ts';
import { positive, type StoreFlags, sortOrders, withExamples, withFilter, withStoreFlags } from '../flags.ts';
import type { AddCommand, Io } from '../io.ts';
import { type FindOptions, findNotes, selectionOf } from '../notes/filter.ts';
import { openNotes } from '../notes/open.ts';
import { cut, printable, printableJson, type Style, styleFor, terminalSize, widthOf } from '../terminal/style.ts';

interface ListFlags extends StoreFlags, FindOptions {
  readonly json?: boolean;
}

export const addList: AddCommand = (program, io, run) => {
  const command = program
    .command('list [words...]')
    .alias('ls')
    .summary('list notes, or those with all these words')
    .description('list notes, or those with all these words: as a table, or without a terminal as tab-separated lines')
    .option('-n, --limit <number>', 'show at most this many', positive)
    .addOption(
      new Option('--sort <order>', 'by last change, creation or title, instead of the best match').choices(sortOrders),
    )
    .option('--json', 'as a JSON array');
  withExamples(withStoreFlags(withFilter(command, io)), [
    ['notes list', 'all active notes, the newest first'],
    ['notes ls git reset -c bash-commands', 'commands with both words'],
    ['notes ls c:css,prompts color:info', 'filters among the words: c: g: color: archived:'],
    ['notes ls -c css,prompts --sort title', ''],
    ['notes ls --json | jq -r ".[].title"', 'for other programs'],
  ]).action(
    run(async (words: string[], flags: ListFlags) => {
      await using store = await openNotes(io, flags);
      const found = await find(store, words, flags);
      if (flags.json) return void io.stdout.write(`${printableJson(found.notes)}\n`);
      const needsLabels = io.stdout.isTTY || found.total === 0;
      const labels = needsLabels ? await store.labels() : noLabels;
      const line = words.join(' ');
      if (found.notes.length === 0) printNone(line, flags, labels, io);
      else print(found, line, labels, io);
    }),
  );
};

/** Contents are read only to be searched, sorted or printed. */
async function find(store: PortableStore, words: readonly string[], flags: ListFlags): Promise<Found<NoteHead>> {
  const { limit, sort, json } = flags;
  const { filter, line } = selectionOf(words.join(' '), flags);
  const needsNotes = line !== '' || sort !== undefined || json;
  if (store.newestHeads === undefined || needsNotes) return findNotes(store, words, flags);
  return store.newestHeads({ ...filter, ...(limit && { limit }) });
}

function print({ notes, total }: Found<NoteHead>, line: string, labels: Labels, { stdout, stderr, env }: Io): void {
  const { words: query } = parseQuery(line, labels);
  const looks = { columns: terminalSize(stdout).columns, style: styleFor(stdout, env), now: Date.now(), query, labels };
  stdout.write(stdout.isTTY ? tableOf(notes, looks) : tsvOf(notes));
  if (notes.length === total) return;
  stderr.write(`${styleFor(stderr, env).dim(`${count(notes.length)} of ${counted(total)}`)}\n`);
}

function printNone(line: string, flags: ListFlags, labels: Labels, { stdout, stderr }: Io): void {
  const { words: query, filters } = parseQuery(line, labels);
  const isAll = flags.all || flags.archived || filters.archived !== undefined;
  const none = query === '' ? 'No notes' : 'No note has all these words';
  const hint = hintOn(line, labels);
  if (stdout.isTTY) stderr.write(`${[none, ...(isAll ? [] : ['--all includes archived ones']), ...hint].join('. ')}\n`);
  else for (const sentence of hint) stderr.write(`notes: ${sentence}\n`);
}

/** Names what a word that is no filter may stand for, if there is one. */
function hintOn(line: string, labels: Labels): readonly string[] {
  const { choices = [] } = unfinishedIn(line, labels) ?? {};
  if (choices.length > 0) return [`Did you mean ${choices.map(({ word }) => word).join(' or ')}?`];
  const word = notAFilterIn(line, labels);
  return word === undefined ? [] : [`"${printable(word)}" is no filter, so it was taken as a word`];
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
