import { categories, draftFields } from '../core/enums.ts';
import { type Fields, isObject, tryParseJson } from '../core/json/json.ts';
import { streamJsonElementTextBatches } from '../core/json/json-array.ts';
import { findJsonComplexityProblem, maxJsonPartsPerNote } from '../core/json/json-complexity.ts';
import type { Note } from '../core/note.ts';
import type { NoteFormat } from './note-format.ts';
import { streamNumberedLineBatches } from './numbered-line-batches.ts';
import { createBadRecord, createRecordFromFields, type ReadRecord } from './record.ts';
import { stripByteOrderMark } from './text-encoding.ts';

/** This format has one note per line. A malformed line affects no other. */
export const ndjsonFormat: NoteFormat = {
  name: 'ndjson',
  description: 'one note as JSON in each line',
  recognizes: ({ name, files }, head) =>
    files.length === 0 && (/^\s*$/.test(head) || (mayBeNdjsonByNameAndHead(name, head) && looksLikeJsonNotes(head))),
  async *streamRecords(source) {
    for await (const lines of streamNumberedLineBatches(source.streamChunks())) {
      for (const line of lines) {
        const location = `line ${line.number}`;
        if ('reason' in line) yield createBadRecord(location, line.reason);
        else if (/\S/.test(line.text))
          yield createRecordFromJsonText(
            location,
            line.number === 1 ? stripByteOrderMark(line.text) : line.text,
            source.modifiedAt,
          );
      }
    }
  },
};

/**
 * Whether the first line could be JSON. It may be damaged if the name of the file says what it is; a text of another
 * kind may quote a note.
 */
const mayBeNdjsonByNameAndHead = (name: string, head: string) =>
  /^\s*\{/.test(head) || (/\.(ndjson|jsonl)$/i.test(name) && !/^\s*\[/.test(head));

/** This format is the array that the service returns. */
export const jsonFormat: NoteFormat = {
  name: 'json',
  description: 'one JSON array of notes, as returned by GET /api/notes',
  recognizes: (_, head) =>
    /^\s*\[(\s*\]\s*$|\s*\{)/.test(head) && (/^\s*\[\s*\]/.test(head) || looksLikeJsonNotes(head)),
  async *streamRecords(source) {
    let count = 0;
    for await (const elements of streamJsonElementTextBatches(source.streamChunks())) {
      for (const element of elements) yield createRecordFromJsonText(`note ${++count}`, element, source.modifiedAt);
    }
  },
};

/** Encodes notes as NDJSON, a text for each batch. */
export async function* streamNoteBatchesAsNdjson(
  batches: AsyncIterable<readonly Note[]> | Iterable<readonly Note[]>,
): AsyncGenerator<string, void, void> {
  for await (const notes of batches) yield notes.map((note) => `${JSON.stringify(note)}\n`).join('');
}

/**
 * Recognizes notes by a category, by all fields of one, even if their values are wrong, or by the first fields if a
 * long text pushes the others out of `head`.
 */
const looksLikeJsonNotes = (head: string): boolean =>
  /^\s*(\[\s*)?\{/m.test(head) && (ownCategory.test(head) || ownStart.test(head) || containsAllDraftFieldNames(head));
const containsAllDraftFieldNames = (head: string) => draftFields.every((field) => head.includes(`"${field}"`));
const ownCategory = new RegExp(`"category"\\s*:\\s*"(${categories.join('|')})"`);
const ownStart = /^\s*(\[\s*)?\{\s*"id"\s*:\s*\d+\s*,\s*"title"\s*:\s*"/m;

function createRecordFromJsonText(location: string, text: string, fileTime: Date): ReadRecord {
  const excess = findJsonComplexityProblem(text, maxJsonPartsPerNote);
  if (excess !== undefined) return createBadRecord(location, excess);
  const value = tryParseJson(text);
  if (value === undefined) return createBadRecord(location, 'Must be valid JSON');
  if (!isObject(value)) return createBadRecord(location, 'Must be a JSON object');
  return createRecordFromFields(location, copyWithServiceFields(value, fileTime));
}

/**
 * Adds the fields that the service owns to a note that somebody wrote by hand without them. The time is that of the
 * file, and not of the import: a second import of the file would else add each note once more.
 */
function copyWithServiceFields(fields: Fields, fileTime: Date): Fields {
  const createdAt = fields['createdAt'] ?? fields['updatedAt'] ?? fileTime.toISOString();
  return {
    ...fields,
    archived: fields['archived'] ?? false,
    createdAt,
    updatedAt: fields['updatedAt'] ?? createdAt,
  };
}
