import type { DefineCommand, Io } from '../../io.ts';
import { openNotes } from '../../notes/open-notes.ts';
import { findNotes } from '../../notes/select-notes.ts';
import { completeWords, type Named } from './complete-words.ts';

/** The completion scripts call this command with the words of a line up to the cursor. */
export const defineCompleteCommand: DefineCommand = (program, io, run) => {
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(
      run(async ([, ...words]: string[]) => {
        const { kind, choices } = await completeWords(program, words, (archived) => readNewestNotes(io, archived));
        const lines = choices.map(([value, meaning]) => `${value}\t${meaning}\n`);
        io.stdout.write(`${kind}\n${lines.join('')}`);
      }),
    );
};

const maxNotes = 500;

/** Reads the notes changed last. Returns none if the notes cannot be read: then there is nothing to complete. */
async function readNewestNotes(io: Io, archived: boolean): Promise<readonly Named[]> {
  try {
    await using store = await openNotes(io, {});
    const found =
      store.newestHeads?.({ archived, limit: maxNotes }) ?? findNotes(store, [], { archived, limit: maxNotes });
    return (await found).notes;
  } catch {
    return [];
  }
}
