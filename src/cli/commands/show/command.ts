import { InvalidArgumentError } from 'commander';
import type { Note } from '../../../core/note.ts';
import { whatRuns } from '../../../core/tools/shell-session.ts';
import { withExamples } from '../../help.ts';
import type { AddCommand, Io } from '../../io.ts';
import { withFilter } from '../../notes/filter.ts';
import { type FindFlags, findNote, labelsOf } from '../../notes/find.ts';
import { openNotes } from '../../notes/open.ts';
import { printableJson } from '../../notes/print.ts';
import { type NoteFlags, type StoreOptions, withStoreOptions } from '../../notes/store-options.ts';
import { versionOf } from '../../notes/version.ts';
import { positive } from '../../positive.ts';
import { filled } from './fill.ts';

interface ShowFlags extends NoteFlags, FindFlags {
  readonly raw?: boolean;
  readonly copy?: boolean;
  readonly version?: number;
  readonly pager: boolean;
  readonly set?: ReadonlyMap<string, string>;
}

export const addShow: AddCommand = (program, io, run) => {
  const command = program
    .command('show [words...]')
    .summary('show a note, copy it, or fill in its {{names}}')
    .description('show one note, given by its id or by words in it; pick one if several match')
    .option('--raw', 'only its text, byte for byte, with its {{names}}; asks nothing')
    .option('--copy', 'copy its text to the clipboard; of commands only what runs, unless --raw')
    .option('--set <name=value>', 'replace {{name}} with a value; may be repeated', addValue)
    .option('--version <number>', 'an earlier version, by its number in "notes history"', positive)
    .option('--pick', 'always pick it from a list')
    .option('--no-pager', 'print a long note without a pager')
    .option('--json', 'as JSON');
  withExamples(withStoreOptions(withFilter(command)), [
    ['notes show 12', 'the note with this id'],
    ['notes show undo commit --copy', 'into the clipboard'],
    ['notes show review --set language=Go | claude', 'fills {{language}}; asks for the others'],
  ]).action(
    run(async (words: string[], flags: ShowFlags) => {
      const note = await findNote(words, flags, { flags, io });
      await show(flags.version === undefined ? note : await earlier(note, flags.version, flags, io), flags, io);
    }),
  );
};

async function earlier({ id }: Note, number: number, flags: StoreOptions, io: Io): Promise<Note> {
  await using store = await openNotes(io, flags);
  return await versionOf(store, id, number);
}

/** Whether the note is shown on a terminal. */
const isRead = ({ raw, copy, json }: ShowFlags, { stdout }: Io) => stdout.isTTY === true && !raw && !copy && !json;

async function show(note: Note, flags: ShowFlags, io: Io): Promise<void> {
  const { stdout, env } = io;
  const isCopied = flags.copy === true && !flags.raw;
  const isPiped = !isRead(flags, io) && !flags.raw && !flags.json;
  const runs = isCopied && !flags.json && note.category === 'bash-commands';
  const filling = {
    given: flags.set,
    asks: flags.pick === true || isCopied || isPiped,
    takesBlanks: flags.pick === true || isCopied || !isPiped,
  };
  const content = await filled(runs ? whatRuns(note.content) : note.content, filling, io);
  if (flags.copy) {
    const { copy } = await import('./copy.ts');
    await copy(content, io);
  }
  if (flags.json) stdout.write(`${printableJson({ ...note, content })}\n`);
  else if (isRead(flags, io)) {
    const { pageOf } = await import('../../terminal/note-page.ts');
    const { styleFor } = await import('../../terminal/style.ts');
    const labels = await labelsOf({ flags, io }).labels();
    await print(pageOf({ ...note, content }, styleFor(stdout, env), labels), flags, io);
  } else if (!flags.copy || flags.raw) stdout.write(content);
}

async function print(page: string, { pager }: ShowFlags, io: Io): Promise<void> {
  if (!pager) return void io.stdout.write(page);
  const { printPaged } = await import('./pager.ts');
  await printPaged(page, io);
}

/** Throws `InvalidArgumentError` if the text is not a pair. */
function addValue(pair: string, values: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return new Map(values).set(name.trim(), value);
}
