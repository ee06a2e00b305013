import { draftDefaults } from '../../core/enums.ts';
import { createInvalidError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import type { DraftFlags, NoteFlags } from '../flag-types.ts';
import { addCategoryGroupAndColorFlags, addStoreFlags, prependExamplesToHelp } from '../flags.ts';
import type { Io, RegisterCommand } from '../io.ts';
import {
  addContentFlags,
  type ContentFlags,
  editAndStoreContent,
  removeLastLineBreak,
  tryReadContentFromFlagsOrPipe,
} from '../notes/note-content.ts';
import { openOrCreateNoteStore } from '../notes/open-note-store.ts';
import { printWrittenNote } from '../notes/print-written-note.ts';

interface AddFlags extends NoteFlags, ContentFlags, DraftFlags {
  readonly title?: string;
}

export const registerAddCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('add [title...]')
    .summary('create a note')
    .description('create a note: pass its content, pipe it in, or write it in an editor')
    .option('-t, --title <title>', 'its title, instead of words after the command');
  prependExamplesToHelp(
    addStoreFlags(addCategoryGroupAndColorFlags(addContentFlags(command), io, true)).option(
      '--json',
      'print the note as JSON',
    ),
    [
      ['notes add Undo the last commit -c bash-commands -m "git reset --soft HEAD~1"', ''],
      ['pbpaste | notes add', 'the title is suggested: the first words, or a name'],
      ['notes add -f focus.css', 'title and category come from the file'],
      ['notes add Plan', 'opens $NOTES_EDITOR, $VISUAL or $EDITOR'],
    ],
  ).action(
    run(async (words: string[], flags: AddFlags) => {
      if (flags.title !== undefined && words.length > 0)
        throw createInvalidError('Give one title: as words or with -t');
      const note = await readOrEditAndCreateNote(flags.title ?? words.join(' '), flags, io);
      printWrittenNote(note, 'Added', { json: flags.json, io });
    }),
  );
};

async function readOrEditAndCreateNote(title: string, flags: AddFlags, io: Io): Promise<Note> {
  const { parseDraft } = await import('../../core/note.ts');
  const { suggestTitle } = await import('../../core/text/suggest-title.ts');
  const file = flags.message === undefined && flags.file !== '-' ? flags.file : undefined;
  const { findCategoryByEnding, stripFolderAndEnding } = await import('../../formats/file-names.ts');
  const { group, color } = { ...draftDefaults, ...flags };
  const ofFile = file === undefined ? undefined : findCategoryByEnding(file);
  const choices = { category: flags.category ?? ofFile ?? draftDefaults.category, group, color };
  const create = async (content: string) => {
    const otherwise = file === undefined ? suggestTitle(content) : stripFolderAndEnding(file);
    const draft = parseDraft({ ...choices, title: title.trim() === '' ? otherwise : title, content });
    await using store = await openOrCreateNoteStore(io, flags);
    return await store.create(draft);
  };
  const content = await tryReadContentFromFlagsOrPipe(flags, io);
  const isBlank = content === '' || (content?.trim() === '' && title.trim() === '');
  if (isBlank) throw createInvalidError('There is no text. Give it with -m, with -f or on standard input');
  if (content !== undefined) return create(content);
  return editAndStoreContent({ ...choices, title, content: '' }, io, (text) => create(removeLastLineBreak(text)));
}
