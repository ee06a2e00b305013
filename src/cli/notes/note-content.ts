import { createReadStream } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createInvalidError, NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { tryDecodeUtf8, tryReadBytesUpTo } from '../../core/text/utf8.ts';
import { runExplainingFileErrors, toErrorWithSavedTextPath } from '../error-text.ts';
import { canPrompt, type Io } from '../io.ts';

/** Flags that name the source of a text. */
export interface ContentFlags {
  readonly message?: string;
  /** `-` for standard input. */
  readonly file?: string;
}

/** Adds the flags for a text. Two texts are a usage error, as one would be lost. */
export const addContentFlags = (command: Command): Command =>
  command
    .addOption(new Option('-m, --message <text>', 'the content itself').conflicts('file').argParser(rejectRepeatedFlag))
    .addOption(
      new Option('-f, --file <file>', 'a file with the content; - is standard input').argParser(rejectRepeatedFlag),
    );

function rejectRepeatedFlag(text: string, other?: string): string {
  if (other !== undefined) throw new InvalidArgumentError('It is given twice.');
  return text;
}

/**
 * Reads the text named by the flags, or else piped in. Returns undefined if there is neither, so that the user has to
 * be asked. Throws `unavailable` if it cannot be read, `invalid` if it is not UTF-8.
 */
export async function tryReadContentFromFlagsOrPipe(
  { message, file }: ContentFlags,
  io: Io,
): Promise<string | undefined> {
  if (message !== undefined) return message;
  if (file !== undefined && file !== '-') return readUtf8Text(createReadStream(file), file);
  if (file === '-' || !io.stdin.isTTY) return readUtf8Text(io.stdin, 'Standard input');
  return undefined;
}

/** Editors add a line break, which would run a pasted command. */
export const removeLastLineBreak = (text: string): string => text.replace(/\r?\n$/, '');

type Editable = Pick<Note, 'title' | 'content' | 'category'>;

/**
 * Lets the user edit a text, and stores it. If that fails, the file with the text stays, and the error that is thrown
 * names its path. Throws `invalid` without a terminal, `unavailable` if the text is left empty.
 */
export async function editAndStoreContent<Result>(
  { title, content, category }: Editable,
  io: Io,
  store: (text: string) => Promise<Result>,
  createError: (path: string, error: unknown) => Error = toErrorWithSavedTextPath,
): Promise<Result> {
  if (!canPrompt(io)) throw createInvalidError('There is no text. Give it with -m or -f');
  const { editTextAndKeepFile } = await import('../terminal/edit-text.ts');
  const { text, path, discard } = await editTextAndKeepFile(content, { io, name: title || 'new note', category });
  const isEmptied = text.trim() === '' && (content === '' || text !== content);
  if (isEmptied) {
    discard();
    throw new NoteError('unavailable', 'The text is empty, so nothing was stored');
  }
  try {
    const result = await store(text);
    discard();
    return result;
  } catch (error) {
    throw createError(path, error);
  }
}

/** As much as an import reads of a file of Markdown. A device may never end. */
const maxMebibytes = 64;

async function readUtf8Text(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const bytes = await runExplainingFileErrors('read', name, () => tryReadBytesUpTo(chunks, maxMebibytes * 2 ** 20));
  if (bytes === undefined) throw createInvalidError(`${name} is longer than ${maxMebibytes} MiB. Split it first`);
  const text = tryDecodeUtf8(bytes);
  if (text === undefined) throw createInvalidError(`${name} is not UTF-8 text. Notes hold only text`);
  return text;
}
