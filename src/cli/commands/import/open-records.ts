import { ConfigError } from '../../../config.ts';
import { invalid, NoteError } from '../../../core/error.ts';
import { JsonArrayError } from '../../../core/json/json-array.ts';
import { formats } from '../../../formats/formats.ts';
import type { NoteFormat } from '../../../formats/note-format.ts';
import { formatRejection, type Recognition } from '../../../formats/recognition.ts';
import { findOnlyFolder, recognizeSource } from '../../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord } from '../../../formats/record.ts';
import type { Source } from '../../../formats/source.ts';
import type { Input } from '../../io.ts';
import type { OpenSource } from './open-folder.ts';
import { openSource } from './open-source.ts';
import type { ImportFlags } from './source-flags.ts';
import { zipSignature } from './zip-archive.ts';

/** Opens a source, and reads its records as they are asked for. Throws `invalid`, `unavailable` and `ConfigError`. */
export async function openRecords(path: string, flags: ImportFlags, stdin: Input, signal: AbortSignal) {
  const opened = await openSource(path, stdin, signal, flags.category);
  const { isFolder, source, unreadable = [] } = opened;
  if (isFolder && source.files.length + unreadable.length === 0) throw invalid(`${path} holds no files`);
  const { format, source: recognized } = recognizeSourceAndFormat(opened, flags.format);
  return { ...opened, format, records: readRecords({ ...opened, source: recognized }, format, signal) };
}

/**
 * The format with this name, or the one that the source was recognized as, with the source as it reads it. Throws
 * `invalid` if no format reads it, and `ConfigError` for a category that its notes would not get.
 */
export function recognizeSourceAndFormat({ source, head }: OpenSource, name?: string): Recognized {
  const named = formats.find((one) => one.name === name);
  const recognition = named ? recognizeAsFormat(named, source) : recognizeSource(source, head);
  if (recognition.kind !== 'format') throw createUnknownFormatError(source, head, recognition);
  const { format } = recognition;
  if (source.category === undefined || format.acceptsCategory) return recognition;
  throw new ConfigError(
    `--category is for files of code and Markdown. Notes in the format ${format.name} have their own`,
  );
}

export type Recognized = Extract<Recognition, { kind: 'format' }>;

/** Returns the format that the user named, even if it does not recognize the source. */
function recognizeAsFormat(format: NoteFormat, source: Source): Recognized {
  const only = format.recognizes(source, '') ? undefined : findOnlyFolder(source);
  return { kind: 'format', format, source: only && format.recognizes(only, '') ? only : source };
}

function createUnknownFormatError(
  { name }: Source,
  head: string,
  recognition: Exclude<Recognition, Recognized>,
): NoteError {
  if (head.startsWith(zipSignature)) return invalid(`${name} is a .zip archive. Save it as a file, and import that`);
  if (recognition.kind === 'known program') return invalid(`${name}: ${formatRejection(recognition)}`);
  const advice = '--format code makes a note of any text; "notes import --help" lists the other formats';
  return invalid(`${name} is in no known format: it is ${recognition.description}. ${advice}`);
}

/** Reads all records of a source. An error is reported as a bad record, or thrown if no record came before it. */
export async function* readRecords(
  { source, links = [], unreadable = [], close }: OpenSource,
  format: NoteFormat,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord, void, void> {
  for (const location of links)
    yield { kind: 'left out', location, reason: 'It is a link, and links are not followed' };
  for (const folder of unreadable) yield { kind: 'bad', ...folder };
  let isUnderstood = false;
  try {
    for await (const record of format.read(source)) {
      signal.throwIfAborted();
      isUnderstood = true;
      yield record;
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof NoteError)) throw error;
    if (!isUnderstood)
      throw error instanceof JsonArrayError ? error.withMessage(`${source.name}: ${error.message}`) : error;
    yield createBadRecord(source.name, error.message);
  } finally {
    close?.();
  }
}
