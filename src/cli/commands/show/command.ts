import { type Command, InvalidArgumentError } from 'commander';
import type { Note } from '../../../core/note.ts';
import { whatRuns } from '../../../core/tools/shell-session.ts';
import { type NoteFlags, positive, withExamples, withFilter, withStoreFlags } from '../../flags.ts';
import type { AddCommand, Io } from '../../io.ts';
import { type FindFlags, findNote } from '../../notes/find.ts';
import { labelsOf, openNotes } from '../../notes/open.ts';
import { printableJson } from '../../terminal/style.ts';
import { filled } from './fill.ts';

interface ShowFlags extends NoteFlags, FindFlags {
  readonly raw?: boolean;
  readonly copy?: boolean;
  readonly version?: number;
  readonly pager?: boolean;
  readonly set?: ReadonlyMap<string, string>;
}

export const addShow: AddCommand = (program, io, run) => {
  const command = program
    .command('show [words...]')
    .summary('show a note, or fill in its {{names}}')
    .description(
      'show one note, given by its id or by words in it; pick one if several match. ' +
        'On a terminal it stays as written, or --set fills it in, with defaults for the others; ' +
        'for a pipe, {{names}} are asked for',
    )
    .option('--raw', 'only its content, byte for byte, with its {{names}}; asks nothing')
    .option('-C, --copy', 'copy its content, as "notes copy" does');
  withExamples(
    withNote(command, io).option('--no-pager', 'print a long note without a pager').option('--json', 'as JSON'),
    [
      ['notes show 12', 'the note with this id'],
      ['notes show undo commit -C', 'into the clipboard'],
      ['notes show review --set language=Go | claude', 'fills {{language}}; asks for the others'],
    ],
  ).action(
    run(async (words: string[], flags: ShowFlags) => {
      await show(await noteOf(words, flags, io), flags, io);
    }),
  );
};

export const addCopy: AddCommand = (program, io, run) => {
  const command = program
    .command('copy [words...]')
    .summary('copy the content of a note')
    .description(
      'copy the content of a note to the clipboard, given by its id or by words in it; pick one if several match. ' +
        'Of commands only what runs is copied; {{names}} are asked for',
    )
    .option('--raw', 'the whole content as it is, with its {{names}}; asks nothing');
  withExamples(withNote(command, io), [
    ['notes copy undo commit', 'the note with these words'],
    ['notes copy', 'picked from a list, as "notes" alone'],
    ['notes copy review --set language=Go', 'fills {{language}}'],
  ]).action(
    run(async (words: string[], flags: ShowFlags) => {
      await copyNote(await noteOf(words, flags, io), flags, io);
    }),
  );
};

/** Adds the flags that name a note and values for it. */
const withNote = (command: Command, io: Io): Command =>
  withStoreFlags(
    withFilter(command, io)
      .option('--set <name=value>', 'replace {{name}} with a value; may be repeated', addValue)
      .option('--version <number>', 'an earlier version, by its number in "notes history"', positive)
      .option('--pick', 'always pick it from a list'),
  );

/** Throws `InvalidArgumentError` if the text is not a pair. */
function addValue(pair: string, values: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return new Map(values).set(name.trim(), value);
}

async function noteOf(words: readonly string[], flags: ShowFlags, io: Io): Promise<Note> {
  const note = await findNote(words, flags, { flags, io });
  if (flags.version === undefined) return note;
  const { versionOf } = await import('../../notes/version-diff.ts');
  await using store = await openNotes(io, flags);
  return await versionOf(store, note.id, flags.version);
}

/** Copies a text; of a command only what runs, unless it is wanted raw. */
async function copyNote(
  { id, content, category }: Note,
  { raw = false, set: given }: ShowFlags,
  io: Io,
): Promise<void> {
  const text = category === 'bash-commands' && !raw ? whatRuns(content) : content;
  const { copyToClipboard } = await import('./clipboard.ts');
  await copyToClipboard(await filled(text, { given, asks: !raw, takesBlanks: true }, io), id, io);
}

async function show(note: Note, flags: ShowFlags, io: Io): Promise<void> {
  const { stdout, env } = io;
  const { raw = false, json = false, copy = false, pick: isPicked = false, set: given } = flags;
  if (copy) await copyNote(note, flags, io);
  if (copy && !raw && !json) return;
  const isRead = stdout.isTTY === true && !raw && !json;
  const isPiped = !isRead && !raw && !json;
  const content = await filled(
    note.content,
    { given, asks: isPicked || isPiped, takesBlanks: isPicked || !isPiped },
    io,
  );
  if (json) return void stdout.write(`${printableJson({ ...note, content })}\n`);
  if (!isRead) return void stdout.write(content);
  const { pageOf, printPaged } = await import('../../terminal/note-page.ts');
  const { styleFor } = await import('../../terminal/style.ts');
  const labels = await labelsOf(io, flags).labels();
  const page = pageOf({ ...note, content }, styleFor(stdout, env), labels);
  if (flags.pager === false) stdout.write(page);
  else await printPaged(page, io);
}
