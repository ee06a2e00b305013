import type { Note } from '../../../core/note.ts';
import { prependExamplesToHelp } from '../../flags.ts';
import type { Io, RegisterCommand } from '../../io.ts';
import { NoteArgument } from '../../notes/note-argument.ts';
import { findOrPickNoteVersion } from '../../notes/note-versions.ts';
import { createLabelReaderOpeningStore } from '../../notes/open-note-store.ts';
import { encodePrintableJson } from '../../terminal/printable-text.ts';
import { createStyleForOutput } from '../../terminal/style.ts';
import { fillAndCopyWithoutShellPrompts } from './copy-command.ts';
import { fillPlaceholdersAndReportBlanks } from './fill-placeholders.ts';
import { addShowAndCopyFlags, type ShowFlags } from './show-flags.ts';

export const registerShowCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('show')
    .addArgument(new NoteArgument('[words...]'))
    .summary('show a note, or fill in its {{names}}')
    .description(
      'show one note, given by its id or by words in it; pick one if several match. ' +
        'On a terminal it stays as written, or --set fills it in, with defaults for the others; ' +
        'for a pipe, {{names}} are asked for',
    )
    .option('--raw', 'only its content, byte for byte, with its {{names}}; asks nothing')
    .option('-C, --copy', 'copy its content, as "notes copy" does');
  prependExamplesToHelp(
    addShowAndCopyFlags(command, io)
      .option('--no-pager', 'print a long note without a pager')
      .option('--json', 'as JSON'),
    [
      ['notes show 12', 'the note with this id'],
      ['notes show undo commit -C', 'into the clipboard'],
      ['notes show review --set language=Go | claude', 'fills {{language}}; asks for the others'],
    ],
  ).action(
    run(async (words: string[], flags: ShowFlags) => {
      await fillAndPrintOrCopyNote(await findOrPickNoteVersion(words, flags, io), flags, io);
    }),
  );
};

async function fillAndPrintOrCopyNote(note: Note, flags: ShowFlags, io: Io): Promise<void> {
  const { stdout, env } = io;
  const { raw = false, json = false, copy = false, pick: isPicked = false, set: setValues } = flags;
  if (copy) await fillAndCopyWithoutShellPrompts(note, flags, io);
  if (copy && !raw && !json) return;
  const isRead = stdout.isTTY === true && !raw && !json;
  const isPiped = !isRead && !raw && !json;
  const content = await fillPlaceholdersAndReportBlanks(
    note.content,
    { setValues, prompts: isPicked || isPiped, allowsBlanks: isPicked || !isPiped },
    io,
  );
  if (json) return void stdout.write(`${encodePrintableJson({ ...note, content })}\n`);
  if (!isRead) return void stdout.write(content);
  const { formatNotePage } = await import('../../terminal/note-page.ts');
  const { printOnTerminalWithPagerIfLong } = await import('../../terminal/pager.ts');
  const labels = await createLabelReaderOpeningStore(io, flags).labels();
  const page = formatNotePage({ ...note, content }, createStyleForOutput(stdout, env), labels);
  if (flags.pager === false) stdout.write(page);
  else await printOnTerminalWithPagerIfLong(page, io);
}
