import { draftOf } from '../../core/versions.ts';
import { type NoteFlags, positive, withExamples, withStoreFlags } from '../flags.ts';
import type { AddCommand, Io } from '../io.ts';
import { findNote } from '../notes/find.ts';
import { openNotes } from '../notes/open.ts';
import { versionOf } from '../notes/version-diff.ts';
import { printResult } from '../notes/write-each.ts';

interface RevertFlags extends NoteFlags {
  readonly version: number;
}

export const addRevert: AddCommand = (program, io, run) => {
  const command = program
    .command('revert [words...]')
    .summary('revert a note to an earlier version')
    .description(
      'revert title, content, category, group and color of a note, given by its id or by words in it, ' +
        'to an earlier version; the current one stays in the history',
    )
    .option('--version <number>', 'the version, as "notes history" numbers them', positive, 1)
    .option('--json', 'print the note as JSON');
  withExamples(withStoreFlags(command), [
    ['notes revert 12', 'to the previous version'],
    ['notes revert 12 --version 3', ''],
  ]).action(
    run(async (words: string[], flags: RevertFlags) => {
      const { id } = await findNote(words, { all: true }, { flags, io });
      await revert(id, flags, io);
    }),
  );
};

async function revert(id: number, flags: RevertFlags, io: Io): Promise<void> {
  const { changeInWords, changeOf } = await import('../notes/version-diff.ts');
  const { styleFor } = await import('../terminal/style.ts');
  await using store = await openNotes(io, flags);
  const now = await store.get(id);
  const version = await versionOf(store, id, flags.version);
  const change = changeOf(now, version);
  const isSame = change.fields.length === 0;
  const note = isSame ? now : await store.update(id, draftOf(version), [now.updatedAt]);
  printResult(note, isSame ? 'Unchanged:' : 'Reverted', { json: flags.json, io });
  if (!io.stdout.isTTY || flags.json || isSame) return;
  io.stdout.write(`${changeInWords(change, styleFor(io.stdout, io.env))}\n`);
}
