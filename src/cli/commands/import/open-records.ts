import { ConfigError } from '../../../config/config.ts';
import { createInvalidError, NoteError } from '../../../core/error.ts';
import { JsonArrayError } from '../../../core/json/json-array.ts';
import { formats } from '../../../formats/formats.ts';
import type { NoteFormat } from '../../../formats/note-format.ts';
import { formatRejection, type Recognition } from '../../../formats/recognition.ts';
import { findOnlyTopFolderAsSource, recognizeSource } from '../../../formats/recognize-source.ts';
import { createBadRecord, type ReadRecord } from '../../../formats/record.ts';
import type { Source } from '../../../formats/source.ts';
import type { Input } from '../../io.ts';
import type { OpenSource } from './open-folder.ts';
import { openSource } from './open-source.ts';
import type { ImportFlags } from './source-flags.ts';
import { zipSignature } from './zip-archive.ts';

/** Opens a source, and reads its records as they are asked for. Throws `invalid`, `unavailable` and `ConfigError`. */
export async function openSourceAndRecords(path: string, flags: ImportFlags, stdin: Input, signal: AbortSignal) {
  const opened = await openSource(path, stdin, signal, flags.category);
  const { isFolder, source, unreadable = [] } = opened;
  if (isFolder && source.files.length + unreadable.length === 0) throw createInvalidError(`${path} holds no files`);
  const { format, source: recognized } = recognizeSourceOrThrow(opened, flags.format);
  return { ...opened, format, records: streamSourceRecordsAndClose({ ...opened, source: recognized }, format, signal) };
}

/**
 * The format with this name, or the one that the source was recognized as, with the source as it reads it. Throws
 * `invalid` if no format reads it, and `ConfigError` for a category that its notes would not get.
 */
export function recognizeSourceOrThrow({ source, head }: OpenSource, name?: string): Recognized {
  const named = formats.find((one) => one.name === name);
  const recognition = named ? recognizeAsNamedFormat(named, source) : recognizeSource(source, head);
  if (recognition.kind !== 'format') throw createUnsupportedFormatError(source, head, recognition);
  const { format } = recognition;
  if (source.category === undefined || format.acceptsCategory) return recognition;
  throw new ConfigError(
    `--category is for files of code and Markdown. Notes in the format ${format.name} have their own`,
  );
}

export type Recognized = Extract<Recognition, { kind: 'format' }>;

/** Returns the format that the user named, even if it does not recognize the source. */
function recognizeAsNamedFormat(format: NoteFormat, source: Source): Recognized {
  const only = format.recognizes(source, '') ? undefined : findOnlyTopFolderAsSource(source);
  return { kind: 'format', format, source: only && format.recognizes(only, '') ? only : source };
}

function createUnsupportedFormatError(
  { name }: Source,
  head: string,
  recognition: Exclude<Recognition, Recognized>,
): NoteError {
  if (head.startsWith(zipSignature))
    return createInvalidError(`${name} is a .zip archive. Save it as a file, and import that`);
  if (recognition.kind === 'known program') return createInvalidError(`${name}: ${formatRejection(recognition)}`);
  const advice = '--format code makes a note of any text; "notes import --help" lists the other formats';
  return createInvalidError(`${name} is in no known format: it is ${recognition.description}. ${advice}`);
}

/** Reads all records of a source. An error is reported as a bad record, or thrown if no record came before it. */
export async function* streamSourceRecordsAndClose(
  { source, links = [], unreadable = [], close }: OpenSource,
  format: NoteFormat,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord, void, void> {
  for (const location of links)
    yield { kind: 'left out', location, reason: 'It is a link, and links are not followed' };
  for (const folder of unreadable) yield { kind: 'bad', ...folder };
  let isUnderstood = false;
  try {
    for await (const record of format.streamRecords(source)) {
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
