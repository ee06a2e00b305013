import { Option } from 'commander';
import { type Labels, noLabels } from '../../../core/group-labels.ts';
import type { NoteHead } from '../../../core/note.ts';
import { completeFilter, findInvalidFilter, parseQuery } from '../../../core/search-line.ts';
import type { Found, PortableStore } from '../../../core/store.ts';
import { formatNoteCount, formatNumber } from '../../../core/text/format-counts.ts';
import { type StoreFlags, sortOrders } from '../../flag-types.ts';
import { addExamples, addFilterFlags, addStoreFlags, parsePositiveInteger } from '../../flags.ts';
import type { DefineCommand, Io } from '../../io.ts';
import { openNotes } from '../../notes/open-notes.ts';
import { createSelection, type FindOptions, findNotes } from '../../notes/select-notes.ts';
import { encodePrintableJson, toPrintableLine } from '../../terminal/printable-text.ts';
import { createStyle } from '../../terminal/style.ts';
import { getTerminalSize } from '../../terminal/text-width.ts';
import { formatNoteLines } from './note-lines.ts';
import { formatNoteTable } from './note-table.ts';

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
      else printTableOrLines(found, line, labels, io);
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

function printTableOrLines(
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
  stderr.write(`${createStyle(stderr, env).dim(`${formatNumber(notes.length)} of ${formatNoteCount(total)}`)}\n`);
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
  const { choices = [] } = completeFilter(line, labels) ?? {};
  if (choices.length > 0) return [`Did you mean ${choices.map(({ word }) => word).join(' or ')}?`];
  const word = findInvalidFilter(line, labels);
  return word === undefined ? [] : [`"${toPrintableLine(word)}" is no filter, so it was taken as a word`];
}
