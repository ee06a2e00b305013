import { pickDraftFields } from '../../core/versions.ts';
import type { NoteFlags } from '../flag-types.ts';
import { addStoreFlags, parsePositiveInteger, prependExamplesToHelp } from '../flags.ts';
import type { Io, RegisterCommand } from '../io.ts';
import { findOrPickNote } from '../notes/find-or-pick-note.ts';
import { NoteArgument } from '../notes/note-argument.ts';
import { getEarlierVersion } from '../notes/note-versions.ts';
import { openNoteStoreOrEmptyDefault } from '../notes/open-note-store.ts';
import { printWrittenNote } from '../notes/print-written-note.ts';

interface RevertFlags extends NoteFlags {
  readonly version: number;
}

export const registerRevertCommand: RegisterCommand = (program, io, run) => {
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
  prependExamplesToHelp(addStoreFlags(command), [
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
  const { formatFieldAndLineChanges, compareVersions } = await import('../notes/version-diff.ts');
  const { createStyleForOutput } = await import('../terminal/style.ts');
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  const now = await store.get(id);
  const version = await getEarlierVersion(store, id, flags.version);
  const change = compareVersions(now, version);
  const isSame = change.fields.length === 0;
  const note = isSame ? now : await store.update(id, pickDraftFields(version), [now.updatedAt]);
  printWrittenNote(note, isSame ? 'Unchanged:' : 'Reverted', { json: flags.json, io });
  if (!io.stdout.isTTY || flags.json || isSame) return;
  io.stdout.write(`${formatFieldAndLineChanges(change, createStyleForOutput(io.stdout, io.env))}\n`);
}
