import { pickDraft } from '../../core/versions.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addExamples, addStoreFlags, parsePositiveInteger } from '../flags.ts';
import type { DefineCommand, Io } from '../io.ts';
import { findOrPickNote } from '../notes/find-or-pick-note.ts';
import { NoteArgument } from '../notes/note-argument.ts';
import { getEarlierVersion } from '../notes/note-versions.ts';
import { openNotes } from '../notes/open-notes.ts';
import { printWrittenNote } from '../notes/print-written-note.ts';

interface RevertFlags extends NoteFlags {
  readonly version: number;
}

export const defineRevertCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('revert')
    .addArgument(new NoteArgument('[words...]'))
    .summary('revert a note to an earlier version')
    .description(
      'revert title, content, category, group and color of a note, given by its id or by words in it, ' +
        'to an earlier version; the current one stays in the history',
    )
    .option('--version <number>', 'the version, as "notes history" numbers them', parsePositiveInteger, 1)
    .option('--json', 'print the note as JSON');
  addExamples(addStoreFlags(command), [
    ['notes revert 12', 'to the previous version'],
    ['notes revert 12 --version 3', ''],
  ]).action(
    run(async (words: string[], flags: RevertFlags) => {
      const { id } = await findOrPickNote(words, { all: true }, { flags, io });
      await revertAndPrintNote(id, flags, io);
    }),
  );
};

async function revertAndPrintNote(id: number, flags: RevertFlags, io: Io): Promise<void> {
  const { formatDiffSummary, compareVersions } = await import('../notes/version-diff.ts');
  const { createStyle } = await import('../terminal/style.ts');
  await using store = await openNotes(io, flags);
  const now = await store.get(id);
  const version = await getEarlierVersion(store, id, flags.version);
  const change = compareVersions(now, version);
  const isSame = change.fields.length === 0;
  const note = isSame ? now : await store.update(id, pickDraft(version), [now.updatedAt]);
  printWrittenNote(note, isSame ? 'Unchanged:' : 'Reverted', { json: flags.json, io });
  if (!io.stdout.isTTY || flags.json || isSame) return;
  io.stdout.write(`${formatDiffSummary(change, createStyle(io.stdout, io.env))}\n`);
}
