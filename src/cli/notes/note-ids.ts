import { buffer } from 'node:stream/consumers';
import { streamResultsInBatches } from '../../core/concurrency.ts';
import { createInvalidError } from '../../core/error.ts';
import { isObject, tryParseJson } from '../../core/json/json.ts';
import type { Note } from '../../core/note.ts';
import { parseIdOrThrowNotFound } from '../../core/request-parameters.ts';
import { formatInteger } from '../../core/text/format-counts.ts';
import type { StoreFlags } from '../flag-types.ts';
import type { Io } from '../io.ts';
import { toPrintableLine } from '../terminal/printable-text.ts';
import type { NoteFailureReporter } from './note-failure-reporter.ts';
import { openNoteStoreOrEmptyDefault } from './open-note-store.ts';

/** The most ids that a range may stand for. */
export const maxRange = 100_000;

/** Whether words name a list of notes by ids, ranges such as 5-9, or - for standard input. */
export const areIdsOrStdin = (words: readonly string[]): boolean =>
  words.includes('-') || (words.length > 0 && words.every((word) => /^\d+(-\d+)?$/.test(word)));

export const isSingleId = ([first = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && /^\d+$/.test(first);

/** Returns the ids that words name: ids, ranges such as 5-9, and `-` for those on standard input. Throws `invalid`. */
export async function readIdsFromWordsAndStdin(
  words: readonly string[],
  { stdin }: Pick<Io, 'stdin'>,
): Promise<readonly string[]> {
  const piped = words.includes('-') ? parsePipedIds((await buffer(stdin)).toString()) : [];
  const ids = words.flatMap((id) => (id === '-' ? piped : expandIfIdRange(id)));
  assertIds(ids);
  return ids;
}

/** Reads the notes with these ids, without duplicates. Reports missing ones as failures. */
export async function* openAndStreamNotesById(
  ids: readonly string[],
  flags: StoreFlags,
  failures: NoteFailureReporter,
  io: Io,
): AsyncGenerator<Note, void, void> {
  await using store = await openNoteStoreOrEmptyDefault(io, flags);
  const read = streamResultsInBatches([...new Set(ids)], (id) =>
    failures.runOrReport(async () => store.get(parseIdOrThrowNotFound(id))),
  );
  for await (const note of read) if (note !== undefined) yield note;
}

/** Returns the ids from the first to the last of `5-9`; any other text as it is. */
function expandIfIdRange(text: string): readonly string[] {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (first === undefined) return [text];
  const length = Number(last) - Number(first) + 1;
  if (length >= 1 && length <= maxRange) return Array.from({ length }, (_, at) => `${Number(first) + at}`);
  throw createInvalidError(`${text} must be a range of 1 to ${formatInteger(maxRange)} ids, the lower id first`);
}

/**
 * Formats ids as the words that `readIdsFromWordsAndStdin` accepts, with neighbours as ranges: 1, 2, 3 and 7 become
 * `1-3` and `7`.
 */
export function toIdRangeWords(ids: readonly number[]): readonly string[] {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const id of ids.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.last === id - 1) range.last = id;
    else ranges.push({ first: id, last: id });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
}

/**
 * Parses ids from the output of another command: tab-separated lines, a JSON array of notes, or a note as JSON on each
 * line. Throws `invalid`.
 */
function parsePipedIds(text: string): string[] {
  if (text.trimStart().startsWith('[')) return [parsePipedJsonValue(text)].flat().map(getIdOfJsonNoteOrThrow);
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter(Boolean)
    .map((line) =>
      line.startsWith('{') ? getIdOfJsonNoteOrThrow(parsePipedJsonValue(line)) : line.replace(/\s.*/, ''),
    );
}

function assertIds(ids: readonly string[]): void {
  const word = ids.find((id) => !/^\d+$/.test(id));
  if (word === undefined) return;
  const shown = toPrintableLine(word.slice(0, 100));
  throw createInvalidError(`"${shown}" is not an id. "notes list ${shown}" shows ids`);
}

function parsePipedJsonValue(text: string): unknown {
  const value = tryParseJson(text);
  if (value === undefined) throw createInvalidError('Standard input looks like JSON, but is not valid JSON');
  return value;
}

function getIdOfJsonNoteOrThrow(note: unknown): string {
  if (isObject(note) && 'id' in note) return String(note['id']);
  throw createInvalidError('Standard input must hold notes, each with its id');
}
