import { type Code, invalid, NoteError } from '../../core/error.ts';
import { bytesWithin } from '../../core/tools/utf8.ts';
import { bad, type ReadRecord, type Source } from '../record.ts';

/** A file of a source; `name` is for display. */
export interface SourceFile {
  readonly name: string;
  readonly modifiedAt: Date;
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * Reads the source, or the files of a folder whose path matches, and reports the others. An unreadable file of a
 * folder affects no other file, nor records read before.
 */
export async function* readEach(
  source: Source,
  pattern: RegExp,
  read: (file: SourceFile) => AsyncIterable<ReadRecord>,
): AsyncGenerator<ReadRecord, void, void> {
  let count = 0;
  for await (const file of filesIn(source, pattern)) {
    try {
      for await (const record of read(file)) {
        count++;
        yield record;
      }
    } catch (thrown) {
      const error = asRefusal(thrown, file);
      const isLost = source.files.length === 0 && count === 0;
      if (isLost || !(error instanceof NoteError) || !causes.includes(error.code)) throw error;
      yield bad(file.name, `${error.message}. The part before it was read`);
    }
  }
  yield* leftOver(source, pattern);
}

/** A `RangeError` means a stack overflow in a recursive parser, or a string beyond the maximum length. */
const asRefusal = (thrown: unknown, { name }: SourceFile): unknown =>
  thrown instanceof RangeError
    ? new NoteError('invalid', `${name} is nested too deep, or too long`, { cause: thrown })
    : thrown;

/** Errors of a file, but not an interruption. */
const causes: readonly Code[] = ['invalid', 'unavailable'];

async function* filesIn(source: Source, pattern: RegExp): AsyncGenerator<SourceFile, void, void> {
  const { files, name, modifiedAt } = source;
  if (files.length === 0) yield { name, modifiedAt, chunks: () => source.bytes() };
  for (const path of files) {
    if (!pattern.test(path)) continue;
    const times = await source.timesOf?.(path);
    yield {
      name: path,
      modifiedAt: times?.modifiedAt ?? modifiedAt,
      chunks: () => source.chunksOf?.(path) ?? chunksOf(source.file(path)),
    };
  }
}

const chunkBytes = 2 ** 20;

async function* chunksOf(file: Promise<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const bytes = await file;
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

const maxNames = 5;

function* leftOver(source: Source, pattern: RegExp): Generator<ReadRecord, void, void> {
  const others = source.files.filter((path) => !pattern.test(path));
  if (others.length === 0) return;
  const names = others.slice(0, maxNames).join(', ');
  const more = others.length > maxNames ? ` and ${others.length - maxNames} more` : '';
  const reason = `Files that this format does not read: ${names}${more}`;
  yield { kind: 'left out', location: source.name, reason, count: others.length };
}

const maxBytes = 256 * 2 ** 20;

/** Reads a whole file, for formats that need it. Throws `invalid` if it is too large. */
export async function wholeOf({ name, chunks }: SourceFile): Promise<Uint8Array> {
  const bytes = await bytesWithin(chunks(), maxBytes);
  if (bytes === undefined) throw invalid(`${name} is larger than 256 MiB, too much to read as a whole`);
  return bytes;
}

/** Reads a whole file without its byte order mark. */
export const wholeText = async (file: SourceFile): Promise<string> => new TextDecoder().decode(await wholeOf(file));
