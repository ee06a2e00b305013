import { draftFields } from '../../domain/enums.ts';
import { NoteError } from '../../domain/error.ts';
import type { Note, NoteDraft, NotePatch } from '../../domain/note.ts';
import type { PortableStore } from '../../domain/store.ts';
import { withExamples } from '../help.ts';
import type { AddCommand, Io } from '../io.ts';
import { type ContentFlags, editedContent, givenContent, orKept } from '../notes/content.ts';
import { withChoices } from '../notes/draft-settings.ts';
import { findNote } from '../notes/find.ts';
import { openNotes } from '../notes/open.ts';
import { printResult } from '../notes/print.ts';
import { type StoreOptions, withStoreOptions } from '../notes/store-options.ts';
import { keptIn } from '../terminal/kept-text.ts';

type Fields = Partial<Omit<NoteDraft, 'content'>>;

interface EditFlags extends StoreOptions, ContentFlags, Fields {
  readonly json?: boolean;
}

export const addEdit: AddCommand = (program, io, run) => {
  const command = program
    .command('edit [words...]')
    .summary('change a note')
    .description('change a note, by its id or by words in it; without flags its text is opened in an editor')
    .option('-t, --title <title>', 'its title')
    .option('-m, --message <text>', 'its text')
    .option('-f, --file <file>', 'its text, in a file; - is standard input')
    .option('--json', 'print the note as JSON');
  withExamples(withStoreOptions(withChoices(command, false)), [
    ['notes edit undo commit', 'opens $NOTES_EDITOR, $VISUAL or $EDITOR'],
    ['notes edit 12 --title "Undo" --color warning', ''],
    ['pbpaste | notes edit 12 -f -', ''],
  ]).action(
    run(async (words: string[], flags: EditFlags) => {
      const open = () => openNotes(io, flags);
      const before = await findNote(open, { words, flags: { all: true }, io }); // archived notes too
      const after = await change(before, { flags, open, io });
      await printResult(after, after.updatedAt === before.updatedAt ? 'Left as it was:' : 'Changed', {
        json: flags.json,
        io,
      });
      return 0;
    }),
  );
};

interface Edit {
  readonly flags: EditFlags;
  readonly open: () => Promise<PortableStore>;
  readonly io: Io;
}

async function change(note: Note, { flags, open, io }: Edit): Promise<Note> {
  const update = (patch: NotePatch) => updateAt(note, patch, open);
  const fields = Object.fromEntries(
    fieldFlags.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  );
  const isGiven = flags.message !== undefined || flags.file !== undefined;
  const given = isGiven ? await givenContent(flags, io) : undefined;
  if (given !== undefined) return update({ ...fields, content: given });
  if (Object.keys(fields).length > 0) return update(fields);
  const edited = await editedContent(note, io);
  const content = asTyped(edited.text, note.content);
  return orKept(
    edited,
    () => update({ content }),
    (path, error) => (isConflict(error) ? changedMeanwhile(note.id, path, error) : keptIn(path, error)),
  );
}

const isConflict = (error: unknown): error is NoteError => error instanceof NoteError && error.code === 'conflict';

const changedMeanwhile = (id: number, path: string, cause: NoteError) =>
  new NoteError(
    'conflict',
    `Note ${id} was changed while you edited it. Yours is kept in ${path}: look at "notes show ${id}", then "notes edit ${id} -f ${path}"`,
    { cause },
  );

const fieldFlags = ['title', 'category', 'group', 'color'] as const;

/** Editors end the last line, also where it had no end. */
const asTyped = (text: string, before: string) => (before.endsWith('\n') ? text : text.replace(/\r?\n$/, ''));

/** Changes the note if it is still as it was read, unless there is nothing to change. Throws `conflict`. */
async function updateAt(note: Note, fields: NotePatch, open: () => Promise<PortableStore>): Promise<Note> {
  const { parsePatch } = await import('../../domain/parse.ts');
  const patch = parsePatch({ ...fields, id: note.id }, note.id);
  const changed = draftFields.some((name) => patch[name] !== undefined && patch[name] !== note[name]);
  if (!changed) return note;
  await using store = await open();
  return await store.update(note.id, patch, [note.updatedAt]);
}
