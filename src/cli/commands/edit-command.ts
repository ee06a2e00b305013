import { type Command, Option } from 'commander';
import { ConfigError } from '../../config/config.ts';
import { isConflictError, NoteError } from '../../core/error.ts';
import type { Note, NoteDraft, NotePatch } from '../../core/note.ts';
import { filterNotes } from '../../core/search-line.ts';
import { formatNoteCount } from '../../core/text/format-counts.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import { toErrorWithSavedTextPath } from '../error-text.ts';
import type { ExitCode } from '../exit-code.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addCategoryGroupAndColorFlags, addStoreFlags, addValueListOption, prependExamplesToHelp } from '../flags.ts';
import type { Io, RegisterCommand } from '../io.ts';
import { printAndConfirmIfSeveralNotes } from '../notes/confirm-changes.ts';
import { mergeSearchLineWithFlags } from '../notes/find-notes.ts';
import { findOrPickNote } from '../notes/find-or-pick-note.ts';
import { NoteArgument } from '../notes/note-argument.ts';
import {
  addContentFlags,
  type ContentFlags,
  editAndStoreContent,
  removeLastLineBreak,
  tryReadContentFromFlagsOrPipe,
} from '../notes/note-content.ts';
import { NoteFailureReporter } from '../notes/note-failure-reporter.ts';
import { areIdsOrStdin, isSingleId, openAndStreamNotesById, readIdsFromWordsAndStdin } from '../notes/note-ids.ts';
import { openNoteStoreOrEmptyDefault } from '../notes/open-note-store.ts';
import { printWrittenNote } from '../notes/print-written-note.ts';
import { writeAndPrintEachNote } from '../notes/write-and-print-each-note.ts';

interface EditFlags extends NoteFlags, ContentFlags, Partial<Omit<NoteDraft, 'content'>> {
  readonly whereCategory?: readonly Note['category'][];
  readonly whereGroup?: readonly Note['group'][];
  readonly whereArchived?: boolean;
  readonly whereActive?: boolean;
}

export const registerEditCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('edit')
    .addArgument(new NoteArgument('[words...]'))
    .summary('change a note, or many')
    .description(
      'change a note, given by its id or by words in it; without flags, open its content in an editor. ' +
        'To change category, group or color of many notes, give their ids, - for ids on standard input, ' +
        'or --where-…; the notes are shown first',
    )
    .option('-t, --title <title>', 'its title');
  prependExamplesToHelp(
    addStoreFlags(addWhereFlags(addCategoryGroupAndColorFlags(addContentFlags(command), io, false), io)),
    [
      ['notes edit undo commit', 'opens $NOTES_EDITOR, $VISUAL or $EDITOR'],
      ['notes edit 12 --title "Undo" --color warning', ''],
      ['pbpaste | notes edit 12 -f -', ''],
      ['notes edit --where-category css --color info', 'all active notes of a category'],
      ['notes list draft | notes edit - -g second --yes', 'the listed notes'],
    ],
  )
    .option('--yes', 'change many without asking')
    .option('--json', 'print the note as JSON, many as an array')
    .action(
      run(async (words: string[], flags: EditFlags) => {
        const isWhere = Object.keys(flags).some((name) => name.startsWith('where'));
        if (isWhere && words.length > 0) throw new ConfigError('Give the notes by --where-… or by ids, not both');
        if (isWhere) return await confirmAndEditSeveralNotes(undefined, flags, io);
        return await (areIdsOrStdin(words) && !isSingleId(words)
          ? confirmAndEditSeveralNotes
          : editAndPrintMatchingNote)(words, flags, io);
      }),
    );
};

/** Adds the flags that select the notes to change. */
function addWhereFlags(command: Command, io: Io): Command {
  const categoryHelp = 'change all active notes of these categories';
  const groupHelp = 'change all active notes of these groups';
  addValueListOption(command, io, 'category', '--where-category <categories>', categoryHelp);
  addValueListOption(command, io, 'group', '--where-group <groups>', groupHelp);
  command.addOption(new Option('--where-active', 'change all active notes').conflicts('whereArchived'));
  command.addOption(new Option('--where-archived', 'change archived notes instead of active ones'));
  return command;
}

/** Changes the one note that matches the words, by flags or in an editor. */
async function editAndPrintMatchingNote(words: readonly string[], flags: EditFlags, io: Io): Promise<ExitCode> {
  const before = await findOrPickNote(words, { all: true }, { flags, io }); // archived notes too
  const after = await changeNoteByFlagsOrEditor(before, flags, io);
  printWrittenNote(after, after.updatedAt === before.updatedAt ? 'Unchanged:' : 'Changed', { json: flags.json, io });
  return 0;
}

async function changeNoteByFlagsOrEditor(note: Note, flags: EditFlags, io: Io): Promise<Note> {
  const fields = Object.fromEntries(
    fieldFlags.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  );
  const hasContentFlag = flags.message !== undefined || flags.file !== undefined;
  const content = hasContentFlag ? await tryReadContentFromFlagsOrPipe(flags, io) : undefined;
  if (content !== undefined) return openStoreAndApplyPatch(note, { ...fields, content }, flags, io);
  if (Object.keys(fields).length > 0) return openStoreAndApplyPatch(note, fields, flags, io);
  const store = (text: string) => {
    const content = note.content.endsWith('\n') ? text : removeLastLineBreak(text);
    return openStoreAndApplyPatch(note, { content }, flags, io);
  };
  return editAndStoreContent(note, io, store, (path, error) =>
    isConflictError(error) ? createEditConflictError(note.id, path, error) : toErrorWithSavedTextPath(path, error),
  );
}

const fieldFlags = ['title', 'category', 'group', 'color'] as const;

const createEditConflictError = (id: number, path: string, cause: NoteError) =>
  new NoteError(
    'conflict',
    `Note ${id} was changed while you edited it. ` +
      `Yours is kept in ${path}: look at "notes show ${id}", then "notes edit ${id} -f ${path}"`,
    { cause },
  );

/** Changes the note if it has not changed since it was read and the patch changes it. Throws `conflict`. */
async function openStoreAndApplyPatch(note: Note, fields: NotePatch, flags: EditFlags, io: Io): Promise<Note> {
  const { parsePatchAndAssertId } = await import('../../core/note.ts');
  const patch = parsePatchAndAssertId({ ...fields, id: note.id }, note.id);
  if (hasSameDraftFields(note, { ...note, ...patch })) return note;
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  return await store.update(note.id, patch, [note.updatedAt]);
}

/** Changes category, group and color of notes with these ids, or of those that the flags select, after a preview. */
async function confirmAndEditSeveralNotes(
  words: readonly string[] | undefined,
  flags: EditFlags,
  io: Io,
): Promise<ExitCode> {
  const patch = createPatchForMany(flags);
  const failures = new NoteFailureReporter(io);
  const found = words
    ? await Array.fromAsync(openAndStreamNotesById(await readIdsFromWordsAndStdin(words, io), flags, failures, io))
    : await findNotesByWhereFlags(flags, io);
  const notes = found.filter((note) => !hasSameDraftFields(note, { ...note, ...patch }));
  if (found.length > notes.length)
    io.stderr.write(`${formatNoteCount(found.length - notes.length)} already had that\n`);
  const changes = Object.entries(patch).map(([name, value]) => `${name} ${value}`);
  const what = `Change ${formatNoteCount(notes.length)} to ${changes.join(', ')}`;
  if (!flags.yes && !(await printAndConfirmIfSeveralNotes(notes, what, io))) return 1;
  const changed = await writeAndPrintEachNote(
    notes,
    (note, store) => store.update(note.id, patch, [note.updatedAt]), // fails if it is no longer as shown
    { done: notes.length === 1 ? 'Changed' : undefined, isMany: true, flags, failures, io },
  );
  if (!flags.json && io.stdout.isTTY && changed > 1) io.stdout.write(`Changed ${formatNoteCount(changed)}\n`);
  return failures.exitCode;
}

/** Returns the changes for all notes. Throws `ConfigError` for title or text, which notes must not share. */
function createPatchForMany(flags: EditFlags): NotePatch {
  const { title, message, file, category, group, color } = flags;
  const patch = { ...(category && { category }), ...(group && { group }), ...(color && { color }) };
  if (title !== undefined || message !== undefined || file !== undefined) {
    throw new ConfigError('Many notes cannot share a title or content: give only --category, --group and --color');
  }
  if (Object.keys(patch).length > 0) return patch;
  throw new ConfigError('Say what to change: --category, --group or --color');
}

async function findNotesByWhereFlags(flags: EditFlags, io: Io): Promise<readonly Note[]> {
  const { whereCategory: category = [], whereGroup: group = [], whereArchived: archived = false } = flags;
  const { filter, filters } = mergeSearchLineWithFlags('', { category, group, archived });
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  return filterNotes(await store.list(filter), filters);
}
