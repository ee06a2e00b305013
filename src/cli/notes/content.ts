import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { invalid, NoteError } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import { textInUtf8 } from '../../shared/utf8.ts';
import { reasonOf } from '../file-errors.ts';
import { type Io, isInteractive } from '../io.ts';
import type { EditedText } from '../terminal/editor.ts';
import { keptIn } from '../terminal/kept-text.ts';

/** Flags that name the source of a text. */
export interface ContentFlags {
  readonly message?: string;
  /** `-` for standard input. */
  readonly file?: string;
}

/**
 * Reads the text named by the flags, or else piped in. Returns undefined if there is neither, so that the user has to
 * be asked. Throws `invalid` if the text is not UTF-8 or cannot be read.
 */
export async function givenContent({ message, file }: ContentFlags, io: Io): Promise<string | undefined> {
  if (message !== undefined) return message;
  if (file !== undefined && file !== '-') return textIn(readGiven(file), file);
  if (file === '-' || !io.stdin.isTTY) return textIn(await buffer(io.stdin), 'Standard input');
  return undefined;
}

type Editable = Pick<Note, 'title' | 'content' | 'category'>;

/** Lets the user edit a text. Throws `invalid` without a terminal, `unavailable` if the text is left empty. */
export async function editedContent({ title, content, category }: Editable, io: Io): Promise<EditedText> {
  if (!isInteractive(io)) throw invalid('There is no text. Give it with -m or -f');
  const { editText } = await import('../terminal/editor.ts');
  const edited = await editText(content, { io, name: title || 'new note', category });
  const isChanged = content === '' || edited.text !== content;
  if (edited.text.trim() !== '' || !isChanged) return edited;
  edited.discard();
  throw new NoteError('unavailable', 'The text is empty, so nothing was stored');
}

/** Stores an edited text. On failure, keeps the file with the text and throws an error that names its path. */
export async function orKept<Result>(
  edited: EditedText,
  store: () => Promise<Result>,
  errorFor: (path: string, error: unknown) => Error = keptIn,
): Promise<Result> {
  try {
    const result = await store();
    edited.discard();
    return result;
  } catch (error) {
    throw errorFor(edited.path, error);
  }
}

function readGiven(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new NoteError('invalid', `Cannot read ${file}: ${reasonOf(cause)}`, { cause });
  }
}

function textIn(bytes: Uint8Array, name: string): string {
  const text = textInUtf8(bytes);
  if (text === undefined) throw invalid(`${name} is not UTF-8 text. Notes hold only text`);
  return text;
}
