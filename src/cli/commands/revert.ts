import { draftOf } from '../../core/versions.ts';
import { withExamples } from '../help.ts';
import type { AddCommand, Io } from '../io.ts';
import { findNote } from '../notes/find.ts';
import { openNotes } from '../notes/open.ts';
import { printResult } from '../notes/print.ts';
import { type NoteFlags, withStoreOptions } from '../notes/store-options.ts';
import { versionOf } from '../notes/version.ts';
import { positive } from '../positive.ts';

interface RevertFlags extends NoteFlags {
  readonly to: number;
}

export const addRevert: AddCommand = (program, io, run) => {
  const command = program
    .command('revert [words...]')
    .summary('restore an earlier version of a note')
    .description(
      'restore the title, text, category, group and color of an earlier version of a note, ' +
        'given by its id or by words in it; the current version stays in the history',
    )
    .option('--to <number>', 'the version, as "notes history" numbers them', positive, 1)
    .option('--json', 'print the note as JSON');
  withExamples(withStoreOptions(command), [
    ['notes revert 12', 'to the previous version'],
    ['notes revert 12 --to 3', ''],
  ]).action(
    run(async (words: string[], flags: RevertFlags) => {
      const { id } = await findNote(words, { all: true }, { flags, io });
      await revert(id, flags, io);
    }),
  );
};

async function revert(id: number, flags: RevertFlags, io: Io): Promise<void> {
  const { changeInWords, changeOf } = await import('../notes/change.ts');
  const { styleFor } = await import('../terminal/style.ts');
  await using store = await openNotes(io, flags);
  const now = await store.get(id);
  const version = await versionOf(store, id, flags.to);
  const change = changeOf(now, version);
  const isSame = change.fields.length === 0;
  const note = isSame ? now : await store.update(id, draftOf(version), [now.updatedAt]);
  await printResult(note, isSame ? 'Unchanged:' : 'Reverted', { json: flags.json, io });
  if (!io.stdout.isTTY || flags.json || isSame) return;
  io.stdout.write(`${changeInWords(change, styleFor(io.stdout, io.env))}\n`);
}
