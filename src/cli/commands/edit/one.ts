import { NoteError } from '../../../core/error.ts';
import type { Note, NoteDraft, NotePatch } from '../../../core/note.ts';
import type { NoteStore } from '../../../core/store.ts';
import { hasSameFields } from '../../../core/versions.ts';
import type { ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { type ContentFlags, editedContent, givenContent, orKept } from '../../notes/content.ts';
import { findNote } from '../../notes/find.ts';
import { openNotes } from '../../notes/open.ts';
import { printResult } from '../../notes/print.ts';
import type { NoteFlags } from '../../notes/store-options.ts';
import { keptIn } from '../../terminal/kept-text.ts';

export interface EditFlags extends NoteFlags, ContentFlags, Partial<Omit<NoteDraft, 'content'>> {
  readonly whereCategory?: Note['category'];
  readonly whereGroup?: Note['group'];
  readonly whereArchived?: boolean;
  readonly whereActive?: boolean;
}

/** Changes the one note that matches the words, by flags or in an editor. */
export async function editOne(words: readonly string[], flags: EditFlags, io: Io): Promise<ExitCode> {
  const before = await findNote(words, { all: true }, { flags, io }); // archived notes too
  const after = await change(before, flags, io);
  const done = after.updatedAt === before.updatedAt ? 'Unchanged:' : 'Changed';
  await printResult(after, done, { json: flags.json, io });
  return 0;
}

async function change(note: Note, flags: EditFlags, io: Io): Promise<Note> {
  const update = (patch: NotePatch) => updateAt(note, patch, () => openNotes(io, flags));
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
    `Note ${id} was changed while you edited it. ` +
      `Yours is kept in ${path}: look at "notes show ${id}", then "notes edit ${id} -f ${path}"`,
    { cause },
  );

const fieldFlags = ['title', 'category', 'group', 'color'] as const;

/** Removes the final line break that an editor added. */
const asTyped = (text: string, before: string) => (before.endsWith('\n') ? text : text.replace(/\r?\n$/, ''));

/** Changes the note if it has not changed since it was read and the patch changes it. Throws `conflict`. */
async function updateAt(note: Note, fields: NotePatch, open: () => Promise<NoteStore>): Promise<Note> {
  const { parsePatch } = await import('../../../core/parse.ts');
  const patch = parsePatch({ ...fields, id: note.id }, note.id);
  if (hasSameFields(note, { ...note, ...patch })) return note;
  await using store = await open();
  return await store.update(note.id, patch, [note.updatedAt]);
}
