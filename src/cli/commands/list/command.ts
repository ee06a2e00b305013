import { Option } from 'commander';
import { type Labels, noLabels } from '../../../core/labels.ts';
import type { NoteHead } from '../../../core/note.ts';
import { notAFilterIn, parseQuery, unfinishedIn } from '../../../core/query.ts';
import type { Found, PortableStore } from '../../../core/store.ts';
import { count, counted } from '../../../core/tools/text.ts';
import { positive, type StoreFlags, sortOrders, withExamples, withFilter, withStoreFlags } from '../../flags.ts';
import type { AddCommand, Io } from '../../io.ts';
import { type FindOptions, findNotes, selectionOf } from '../../notes/filter.ts';
import { openNotes } from '../../notes/open.ts';
import { printable, printableJson, terminalSize } from '../../terminal/style.ts';

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
      const needsLabels = (io.stdout.isTTY || found.total === 0) && !flags.json;
      const labels = needsLabels ? await store.labels() : noLabels;
      await print(found, { words, flags, labels, io });
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

interface Print {
  readonly words: readonly string[];
  readonly flags: ListFlags;
  readonly labels: Labels;
  readonly io: Io;
}

async function print({ notes, total }: Found<NoteHead>, { words, flags, labels, io }: Print): Promise<void> {
  const { stdout, stderr, env } = io;
  if (flags.json) return void stdout.write(`${printableJson(notes)}\n`);
  const line = words.join(' ');
  const { words: query, filters } = parseQuery(line, labels);
  if (notes.length === 0) {
    const isAll = flags.all || flags.archived || filters.archived !== undefined;
    const none = query === '' ? 'No notes' : 'No note has all these words';
    const hint = hintOn(line, labels);
    if (stdout.isTTY)
      stderr.write(`${[none, ...(isAll ? [] : ['--all includes archived ones']), ...hint].join('. ')}\n`);
    else for (const sentence of hint) stderr.write(`notes: ${sentence}\n`);
    return;
  }
  const { tableOf, tsvOf } = await import('./table.ts');
  const { styleFor } = await import('../../terminal/style.ts');
  const looks = { columns: terminalSize(stdout).columns, style: styleFor(stdout, env), now: Date.now(), query, labels };
  stdout.write(stdout.isTTY ? tableOf(notes, looks) : tsvOf(notes));
  if (notes.length === total) return;
  stderr.write(`${styleFor(stderr, env).dim(`${count(notes.length)} of ${counted(total)}`)}\n`);
}

/** Names what a word that is no filter may stand for, if there is one. */
function hintOn(line: string, labels: Labels): readonly string[] {
  const { choices = [] } = unfinishedIn(line, labels) ?? {};
  if (choices.length > 0) return [`Did you mean ${choices.map(({ word }) => word).join(' or ')}?`];
  const word = notAFilterIn(line, labels);
  return word === undefined ? [] : [`"${printable(word)}" is no filter, so it was taken as a word`];
}
