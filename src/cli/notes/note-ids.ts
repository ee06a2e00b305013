import { buffer } from 'node:stream/consumers';
import { mapInBatches } from '../../core/concurrency.ts';
import { invalid } from '../../core/error.ts';
import { isObject, tryParseJson } from '../../core/json/json.ts';
import type { Note } from '../../core/note.ts';
import { parseId } from '../../core/request-parameters.ts';
import { formatNumber } from '../../core/text/format-counts.ts';
import type { StoreFlags } from '../flag-types.ts';
import type { Io } from '../io.ts';
import { toPrintableLine } from '../terminal/printable-text.ts';
import type { NoteFailures } from './note-failures.ts';
import { openNotes } from './open-notes.ts';

/** The most ids that a range may stand for. */
export const maxRange = 100_000;

/** Whether words name a list of notes by ids, ranges such as 5-9, or - for standard input. */
export const isIdList = (words: readonly string[]): boolean =>
  words.includes('-') || (words.length > 0 && words.every((word) => /^\d+(-\d+)?$/.test(word)));

export const isSingleId = ([first = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && /^\d+$/.test(first);

/** Returns the ids that words name: ids, ranges such as 5-9, and `-` for those on standard input. Throws `invalid`. */
export async function readIds(words: readonly string[], { stdin }: Pick<Io, 'stdin'>): Promise<readonly string[]> {
  const piped = words.includes('-') ? parsePipedIds((await buffer(stdin)).toString()) : [];
  const ids = words.flatMap((id) => (id === '-' ? piped : expandIdRange(id)));
  assertIds(ids);
  return ids;
}

/** Reads the notes with these ids, without duplicates. Reports missing ones as failures. */
export async function* openAndReadNotesById(
  ids: readonly string[],
  flags: StoreFlags,
  failures: NoteFailures,
  io: Io,
): AsyncGenerator<Note, void, void> {
  await using store = await openNotes(io, flags);
  const read = mapInBatches([...new Set(ids)], (id) => failures.runOrReport(async () => store.get(parseId(id))));
  for await (const note of read) if (note !== undefined) yield note;
}

/** Returns the ids from the first to the last of `5-9`; any other text as it is. */
function expandIdRange(text: string): readonly string[] {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (first === undefined) return [text];
  const length = Number(last) - Number(first) + 1;
  if (length >= 1 && length <= maxRange) return Array.from({ length }, (_, at) => `${Number(first) + at}`);
  throw invalid(`${text} must be a range of 1 to ${formatNumber(maxRange)} ids, the lower id first`);
}

/** Formats ids as the words that `readIds` accepts, with neighbours as ranges: 1, 2, 3, 7 become `1-3` and `7`. */
export function formatIdRanges(ids: readonly number[]): readonly string[] {
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
  if (text.trimStart().startsWith('[')) return [parsePipedJson(text)].flat().map(getNoteId);
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter(Boolean)
    .map((line) => (line.startsWith('{') ? getNoteId(parsePipedJson(line)) : line.replace(/\s.*/, '')));
}

function assertIds(ids: readonly string[]): void {
  const word = ids.find((id) => !/^\d+$/.test(id));
  if (word === undefined) return;
  const shown = toPrintableLine(word.slice(0, 100));
  throw invalid(`"${shown}" is not an id. "notes list ${shown}" shows ids`);
}

function parsePipedJson(text: string): unknown {
  const value = tryParseJson(text);
  if (value === undefined) throw invalid('Standard input looks like JSON, but is not valid JSON');
  return value;
}

function getNoteId(note: unknown): string {
  if (isObject(note) && 'id' in note) return String(note['id']);
  throw invalid('Standard input must hold notes, each with its id');
}
