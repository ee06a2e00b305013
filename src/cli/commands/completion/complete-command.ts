import type { Io, RegisterCommand } from '../../io.ts';
import { findNotesAndTotal } from '../../notes/find-notes.ts';
import { openNoteStoreOrEmptyDefault } from '../../notes/open-note-store.ts';
import { completeWords, type Named } from './complete-words.ts';

/** The completion scripts call this command with the words of a line up to the cursor. */
export const registerCompleteCommand: RegisterCommand = (program, io, run) => {
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(
      run(async ([, ...words]: string[]) => {
        const { kind, choices } = await completeWords(program, words, (archived) =>
          readNewestNotesOrEmpty(io, archived),
        );
        const lines = choices.map(([value, meaning]) => `${value}\t${meaning}\n`);
        io.stdout.write(`${kind}\n${lines.join('')}`);
      }),
    );
};

const maxNotes = 500;

/** Reads the notes changed last. Returns none if the notes cannot be read: then there is nothing to complete. */
async function readNewestNotesOrEmpty(io: Io, archived: boolean): Promise<readonly Named[]> {
  try {
    await using store = await openNoteStoreOrEmptyDefault(io, {});
    const found =
      store.readLastChangedHeadsAndTotal?.({ archived, limit: maxNotes }) ??
      findNotesAndTotal(store, [], { archived, limit: maxNotes });
    return (await found).notes;
  } catch {
    return [];
  }
}
