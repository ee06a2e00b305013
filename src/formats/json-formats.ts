import { categories, draftFields } from '../core/enums.ts';
import { isObject, serializeOnce, tryParseJson } from '../core/json/json.ts';
import { splitJsonArray } from '../core/json/json-array.ts';
import { maxJsonPartsPerNote, validateJsonComplexity } from '../core/json/json-complexity.ts';
import type { Note } from '../core/note.ts';
import { readLineBatches } from './lines.ts';
import type { NoteFormat } from './note-format.ts';
import { createBadRecord, createRecordFromFields, type ReadRecord } from './record.ts';
import { stripByteOrderMark } from './text-encoding.ts';

/** One note per line; a malformed line affects no other. */
export const ndjsonFormat: NoteFormat = {
  name: 'ndjson',
  description: 'one note as JSON in each line',
  recognizes: ({ name, files }, head) =>
    files.length === 0 && (/^\s*$/.test(head) || (beginsWithJsonLine(name, head) && looksLikeJsonNotes(head))),
  async *read(source) {
    for await (const lines of readLineBatches(source.readChunks())) {
      for (const line of lines) {
        const location = `line ${line.number}`;
        if ('reason' in line) yield createBadRecord(location, line.reason);
        else if (/\S/.test(line.text))
          yield createRecordFromJson(location, line.number === 1 ? stripByteOrderMark(line.text) : line.text);
      }
    }
  },
};

/** The first line may be damaged, but a text of another kind may quote a note. */
const beginsWithJsonLine = (name: string, head: string) =>
  /^\s*\{/.test(head) || (/\.(ndjson|jsonl)$/i.test(name) && !/^\s*\[/.test(head));

/** The array that the service returns. */
export const jsonFormat: NoteFormat = {
  name: 'json',
  description: 'one JSON array of notes, as returned by GET /api/notes',
  recognizes: (_, head) =>
    /^\s*\[(\s*\]\s*$|\s*\{)/.test(head) && (/^\s*\[\s*\]/.test(head) || looksLikeJsonNotes(head)),
  async *read(source) {
    let count = 0;
    for await (const elements of splitJsonArray(source.readChunks())) {
      for (const element of elements) yield createRecordFromJson(`note ${++count}`, element);
    }
  },
};

/** Formats notes as NDJSON, in pieces. */
export async function* encodeNotesAsNdjson(
  batches: AsyncIterable<readonly Note[]> | Iterable<readonly Note[]>,
): AsyncGenerator<string, void, void> {
  for await (const notes of batches) yield notes.map((note) => `${serializeOnce(note)}\n`).join('');
}

/**
 * Recognizes notes by a category, by all fields of one, even if their values are wrong, or by the first fields if a
 * long text pushes the others out of `head`.
 */
const looksLikeJsonNotes = (head: string): boolean =>
  /^\s*(\[\s*)?\{/m.test(head) && (ownCategory.test(head) || ownStart.test(head) || containsAllFieldNames(head));
const containsAllFieldNames = (head: string) => draftFields.every((field) => head.includes(`"${field}"`));
const ownCategory = new RegExp(`"category"\\s*:\\s*"(${categories.join('|')})"`);
const ownStart = /^\s*(\[\s*)?\{\s*"id"\s*:\s*\d+\s*,\s*"title"\s*:\s*"/m;

function createRecordFromJson(location: string, text: string): ReadRecord {
  const excess = validateJsonComplexity(text, maxJsonPartsPerNote);
  if (excess !== undefined) return createBadRecord(location, excess);
  const value = tryParseJson(text);
  if (value === undefined) return createBadRecord(location, 'Must be valid JSON');
  if (!isObject(value)) return createBadRecord(location, 'Must be a JSON object');
  return createRecordFromFields(location, value);
}
