import type { Command } from 'commander';
import { parseIdOrThrowNotFound } from '../../core/request-parameters.ts';
import type { NoteStore } from '../../core/store.ts';
import { formatNoteCount } from '../../core/text/format-counts.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addStoreFlags, prependExamplesToHelp } from '../flags.ts';
import type { Io, RegisterCommand, WrapAction } from '../io.ts';
import { printAndConfirmIfSeveralNotes } from '../notes/confirm-changes.ts';
import { findOrPickNote } from '../notes/find-or-pick-note.ts';
import { NoteArgument } from '../notes/note-argument.ts';
import { NoteFailureReporter } from '../notes/note-failure-reporter.ts';
import { areIdsOrStdin, isSingleId, openAndStreamNotesById, readIdsFromWordsAndStdin } from '../notes/note-ids.ts';
import { writeAndPrintEachNote } from '../notes/write-and-print-each-note.ts';

export const registerArchiveCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('archive')
    .addArgument(new NoteArgument('<words...>'))
    .summary('archive notes, instead of deleting them')
    .description(
      'archive a note, given by its id or by words in it, instead of deleting it; ' +
        'or several ids, a range such as 5-9, or - for ids on standard input: of the last two, it shows the notes first',
    );
  prependExamplesToHelp(command, [
    ['notes archive undo commit', 'the note with these words'],
    ['notes archive 12 20-31', ''],
    ['notes list -c css draft | notes archive -', 'all listed notes, also with --json'],
  ]);
  addArchiveFlagsAndAction(command, true, { io, run });
};

export const registerUnarchiveCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('unarchive')
    .addArgument(new NoteArgument('<words...>', { isArchived: true }))
    .summary('bring archived notes back')
    .description('bring archived notes back, given as to "notes archive"');
  prependExamplesToHelp(command, [['notes unarchive 12', '']]);
  addArchiveFlagsAndAction(command, false, { io, run });
};

function addArchiveFlagsAndAction(command: Command, archived: boolean, { io, run }: { io: Io; run: WrapAction }): void {
  const [what, done] = archived ? ['Archive', 'Archived'] : ['Unarchive', 'Unarchived'];
  addStoreFlags(command)
    .option('--yes', 'do not ask before changing a list')
    .option('--json', 'print the note as JSON, many as an array')
    .action(
      run(async (words: string[], flags: NoteFlags) => {
        const failures = new NoteFailureReporter(io);
        const isMany = areIdsOrStdin(words) && !isSingleId(words);
        let ids = areIdsOrStdin(words)
          ? await readIdsFromWordsAndStdin(words, io)
          : [await findOrPickNoteIdOrThrow(words, archived, { flags, io })];
        if (words.some((word) => word.includes('-')) && isMany && !flags.yes) {
          const found = openAndStreamNotesById(ids, flags, failures, io);
          const notes = await Array.fromAsync(found, ({ id, title }) => ({ id, title })); // texts may be long
          if (!(await printAndConfirmIfSeveralNotes(notes, `${what} ${formatNoteCount(notes.length)}`, io))) return 1;
          ids = notes.map(({ id }) => `${id}`);
        }
        const write = async (id: string, store: NoteStore) => store.setArchived(parseIdOrThrowNotFound(id), archived);
        await writeAndPrintEachNote(ids, write, { done, isMany, flags, failures, io });
        return failures.exitCode;
      }),
    );
}

/** Finds or lets the user pick the note with these words, among those whose state would change. Returns its id. */
async function findOrPickNoteIdOrThrow(
  words: readonly string[],
  archived: boolean,
  where: { flags: NoteFlags; io: Io },
): Promise<string> {
  const { id } = await findOrPickNote(words, { archived: !archived, hasAll: false }, where);
  return String(id);
}
