import { Option } from 'commander';
import type { NoteHead } from '../../../core/note.ts';
import { findFilterCompletion, findInvalidFilter, parseQuery } from '../../../core/search-line.ts';
import type { Found, PortableStore } from '../../../core/store.ts';
import { formatInteger, formatNoteCount } from '../../../core/text/format-counts.ts';
import { type Labels, noLabels } from '../../../core/value-labels.ts';
import { type StoreFlags, sortOrders } from '../../flag-types.ts';
import { addFilterFlags, addStoreFlags, parsePositiveInteger, prependExamplesToHelp } from '../../flags.ts';
import type { Io, RegisterCommand } from '../../io.ts';
import { type FindOptions, findNotesAndTotal, mergeSearchLineWithFlags } from '../../notes/find-notes.ts';
import { openNoteStoreOrEmptyDefault } from '../../notes/open-note-store.ts';
import { encodePrintableJson, toPrintableLine } from '../../terminal/printable-text.ts';
import { createStyleForOutput } from '../../terminal/style.ts';
import { getTerminalSizeOrDefault } from '../../terminal/text-width.ts';
import { formatNoteTable } from './note-table.ts';
import { formatNotesAsTsv } from './notes-tsv.ts';

interface ListFlags extends StoreFlags, FindOptions {
  readonly pinned?: boolean;
  readonly json?: boolean;
}

export const registerListCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('list [words...]')
    .alias('ls')
    .summary('list notes, or those with all these words')
    .description('list notes, or those with all these words: as a table, or without a terminal as tab-separated lines')
    .option('--pinned', 'only pinned notes')
    .option('-n, --limit <number>', 'show at most this many', parsePositiveInteger)
    .addOption(
      new Option('--sort <order>', 'by last change, creation or title, instead of the best match').choices(sortOrders),
    )
    .option('--json', 'as a JSON array');
  prependExamplesToHelp(addStoreFlags(addFilterFlags(command, io)), [
    ['notes list', 'all active notes, the newest first'],
    ['notes ls git reset -c bash-commands', 'commands with both words'],
    ['notes ls c:css,prompts color:info', 'filters among the words: c: g: color: archived:'],
    ['notes ls -c css,prompts --sort title', ''],
    ['notes ls --json | jq -r ".[].title"', 'for other programs'],
  ]).action(
    run(async (words: string[], flags: ListFlags) => {
      await using store = await openNoteStoreOrEmptyDefault(io, flags);
      const found = await findNotesOrHeadsAndTotal(store, words, flags);
      if (flags.json) return void io.stdout.write(`${encodePrintableJson(found.notes)}\n`);
      const needsLabels = io.stdout.isTTY || found.total === 0;
      const labels = needsLabels ? await store.labels() : noLabels;
      const line = words.join(' ');
      if (found.notes.length === 0) printNothingFoundAndHints(line, flags, labels, io);
      else printTableOrLines(found, line, labels, io);
    }),
  );
};

/** Contents are read only to be searched, sorted or printed. */
async function findNotesOrHeadsAndTotal(
  store: PortableStore,
  words: readonly string[],
  flags: ListFlags,
): Promise<Found<NoteHead>> {
  const { limit, sort, json } = flags;
  if (flags.pinned) return findPinnedNotesAndTotal(store, words, flags);
  const { filter, line } = mergeSearchLineWithFlags(words.join(' '), flags);
  const needsNotes = line !== '' || sort !== undefined || json;
  if (store.readLastChangedHeadsAndTotal === undefined || needsNotes) return findNotesAndTotal(store, words, flags);
  return store.readLastChangedHeadsAndTotal({ ...filter, ...(limit && { limit }) });
}

/** Without words and an order, the pin that is the first on the page comes first. */
async function findPinnedNotesAndTotal(
  store: PortableStore,
  words: readonly string[],
  { limit, ...options }: ListFlags,
): Promise<Found> {
  const { ids } = await store.readPins();
  const { notes } = await findNotesAndTotal(store, words, options);
  const pinned = notes.filter(({ id }) => ids.includes(id));
  if (words.length === 0 && options.sort === undefined)
    pinned.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  return { notes: pinned.slice(0, limit), total: pinned.length };
}

function printTableOrLines(
  { notes, total }: Found<NoteHead>,
  line: string,
  labels: Labels,
  { stdout, stderr, env }: Io,
): void {
  const { words: query } = parseQuery(line, labels);
  const looks = {
    columns: getTerminalSizeOrDefault(stdout).columns,
    style: createStyleForOutput(stdout, env),
    now: Date.now(),
    query,
    labels,
  };
  stdout.write(stdout.isTTY ? formatNoteTable(notes, looks) : formatNotesAsTsv(notes));
  if (notes.length === total) return;
  stderr.write(
    `${createStyleForOutput(stderr, env).dim(`${formatInteger(notes.length)} of ${formatNoteCount(total)}`)}\n`,
  );
}

function printNothingFoundAndHints(line: string, flags: ListFlags, labels: Labels, { stdout, stderr }: Io): void {
  const { words: query, filters } = parseQuery(line, labels);
  const isAll = flags.all || flags.archived || filters.archived !== undefined;
  const none = query === '' ? 'No notes' : 'No note has all these words';
  const hint = formatMistypedFilterHints(line, labels);
  if (stdout.isTTY) stderr.write(`${[none, ...(isAll ? [] : ['--all includes archived ones']), ...hint].join('. ')}\n`);
  else for (const sentence of hint) stderr.write(`notes: ${sentence}\n`);
}

/** Names what a word that is no filter may stand for, if there is one. */
function formatMistypedFilterHints(line: string, labels: Labels): readonly string[] {
  const { choices = [] } = findFilterCompletion(line, labels) ?? {};
  if (choices.length > 0) return [`Did you mean ${choices.map(({ word }) => word).join(' or ')}?`];
  const word = findInvalidFilter(line, labels);
  return word === undefined ? [] : [`"${toPrintableLine(word)}" is no filter, so it was taken as a word`];
}
