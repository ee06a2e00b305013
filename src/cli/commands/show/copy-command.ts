import type { Note } from '../../../core/note.ts';
import { removePromptsAndFinalLineEnds } from '../../../core/text/shell-prompts.ts';
import { prependExamplesToHelp } from '../../flags.ts';
import type { Io, RegisterCommand } from '../../io.ts';
import { NoteArgument } from '../../notes/note-argument.ts';
import { findOrPickNoteVersion } from '../../notes/note-versions.ts';
import { copyToClipboardAndReport } from './clipboard.ts';
import { fillPlaceholdersAndReportBlanks } from './fill-placeholders.ts';
import { addShowAndCopyFlags, type ShowFlags } from './show-flags.ts';

export const registerCopyCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('copy')
    .addArgument(new NoteArgument('[words...]'))
    .summary('copy the content of a note')
    .description(
      'copy the content of a note to the clipboard, given by its id or by words in it; pick one if several match. ' +
        'Of commands only what runs is copied; {{names}} are asked for',
    )
    .option('--raw', 'the whole content as it is, with its {{names}}; asks nothing');
  prependExamplesToHelp(addShowAndCopyFlags(command, io), [
    ['notes copy undo commit', 'the note with these words'],
    ['notes copy', 'picked from a list, as "notes" alone'],
    ['notes copy review --set language=Go', 'fills {{language}}'],
  ]).action(
    run(async (words: string[], flags: ShowFlags) => {
      await fillAndCopyWithoutShellPrompts(await findOrPickNoteVersion(words, flags, io), flags, io);
    }),
  );
};

/** Copies a text; of a command only what runs, unless it is wanted raw. */
export async function fillAndCopyWithoutShellPrompts(
  { id, content, category }: Note,
  { raw = false, set: setValues }: ShowFlags,
  io: Io,
): Promise<void> {
  const text = category === 'bash-commands' && !raw ? removePromptsAndFinalLineEnds(content) : content;
  await copyToClipboardAndReport(
    await fillPlaceholdersAndReportBlanks(text, { setValues, prompts: !raw, allowsBlanks: true }, io),
    id,
    io,
  );
}
