import type { Command } from 'commander';
import { isConflictError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { parsePinsFromBody } from '../../core/pins.ts';
import { parseIdOrThrowNotFound } from '../../core/request-parameters.ts';
import type { PortableStore } from '../../core/store.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addStoreFlags, prependExamplesToHelp } from '../flags.ts';
import type { Io, RegisterCommand, WrapAction } from '../io.ts';
import { findOrPickNote } from '../notes/find-or-pick-note.ts';
import { NoteArgument } from '../notes/note-argument.ts';
import { NoteFailureReporter } from '../notes/note-failure-reporter.ts';
import { areIdsOrStdin, isSingleId, readIdsFromWordsAndStdin } from '../notes/note-ids.ts';
import { writeAndPrintEachNote } from '../notes/write-and-print-each-note.ts';

export const registerPinCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('pin')
    .addArgument(new NoteArgument('<words...>'))
    .summary('pin notes, so that the page shows them first')
    .description('pin notes, given by ids or by words of one note; the one that was pinned last is the first');
  prependExamplesToHelp(command, [
    ['notes pin undo commit', 'the note with these words'],
    ['notes pin 12 20', ''],
    ['notes list --pinned', 'what is pinned'],
  ]);
  addPinFlagsAndAction(command, true, { io, run });
};

export const registerUnpinCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('unpin')
    .addArgument(new NoteArgument('<words...>'))
    .summary('unpin notes')
    .description('unpin notes, given as to "notes pin"');
  prependExamplesToHelp(command, [['notes unpin 12', '']]);
  addPinFlagsAndAction(command, false, { io, run });
};

function addPinFlagsAndAction(command: Command, isPinned: boolean, { io, run }: { io: Io; run: WrapAction }): void {
  addStoreFlags(command)
    .option('--json', 'print the note as JSON, many as an array')
    .action(
      run(async (words: string[], flags: NoteFlags) => {
        const failures = new NoteFailureReporter(io);
        const isList = areIdsOrStdin(words);
        const ids = isList
          ? await readIdsFromWordsAndStdin(words, io)
          : [String((await findOrPickNote(words, { hasAll: true }, { flags, io })).id)];
        const write = createSequentialPinWriter(isPinned);
        const done = isPinned ? 'Pinned' : 'Unpinned';
        await writeAndPrintEachNote(ids, write, { done, isMany: isList && !isSingleId(words), flags, failures, io });
        return failures.exitCode;
      }),
    );
}

/** Writes one pin after the other, in the order of the calls, which is the order of the pins. */
function createSequentialPinWriter(isPinned: boolean): (id: string, store: PortableStore) => Promise<Note> {
  let lastWrite: Promise<unknown> = Promise.resolve();
  return (id, store) => {
    const written = lastWrite.then(async () => {
      const note = await store.get(parseIdOrThrowNotFound(id));
      await retryUntilPinStored(store, note.id, isPinned);
      return note;
    });
    lastWrite = written.catch(() => {});
    return written;
  };
}

/** Pins or unpins a note. Begins again if others have changed the pins, so that theirs stay. */
async function retryUntilPinStored(store: PortableStore, id: number, isPinned: boolean): Promise<void> {
  const { ids, revision } = await store.readPins();
  if (ids.includes(id) === isPinned) return;
  const changed = isPinned ? [id, ...ids] : ids.filter((other) => other !== id);
  try {
    await store.replacePins(parsePinsFromBody({ ids: changed }), [revision]);
  } catch (error) {
    if (!isConflictError(error)) throw error;
    await retryUntilPinStored(store, id, isPinned);
  }
}
