import type { Note } from '../../../core/note.ts';
import { addExamples } from '../../flags.ts';
import type { DefineCommand, Io } from '../../io.ts';
import { NoteArgument } from '../../notes/note-argument.ts';
import { createLabelReader } from '../../notes/open-notes.ts';
import { encodePrintableJson } from '../../terminal/printable-text.ts';
import { createStyle } from '../../terminal/style.ts';
import { fillAndCopyContent } from './copy-command.ts';
import { fillFromFlagsAndPrompts } from './fill-from-flags-and-prompts.ts';
import { addNoteFlags, findOrPickNoteVersion, type ShowFlags } from './show-flags.ts';

export const defineShowCommand: DefineCommand = (program, io, run) => {
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
  addExamples(
    addNoteFlags(command, io).option('--no-pager', 'print a long note without a pager').option('--json', 'as JSON'),
    [
      ['notes show 12', 'the note with this id'],
      ['notes show undo commit -C', 'into the clipboard'],
      ['notes show review --set language=Go | claude', 'fills {{language}}; asks for the others'],
    ],
  ).action(
    run(async (words: string[], flags: ShowFlags) => {
      await showNote(await findOrPickNoteVersion(words, flags, io), flags, io);
    }),
  );
};

async function showNote(note: Note, flags: ShowFlags, io: Io): Promise<void> {
  const { stdout, env } = io;
  const { raw = false, json = false, copy = false, pick: isPicked = false, set: setValues } = flags;
  if (copy) await fillAndCopyContent(note, flags, io);
  if (copy && !raw && !json) return;
  const isRead = stdout.isTTY === true && !raw && !json;
  const isPiped = !isRead && !raw && !json;
  const content = await fillFromFlagsAndPrompts(
    note.content,
    { setValues, prompts: isPicked || isPiped, allowsBlanks: isPicked || !isPiped },
    io,
  );
  if (json) return void stdout.write(`${encodePrintableJson({ ...note, content })}\n`);
  if (!isRead) return void stdout.write(content);
  const { formatNotePage } = await import('../../terminal/note-page.ts');
  const { printWithPager } = await import('../../terminal/pager.ts');
  const labels = await createLabelReader(io, flags).labels();
  const page = formatNotePage({ ...note, content }, createStyle(stdout, env), labels);
  if (flags.pager === false) stdout.write(page);
  else await printWithPager(page, io);
}
