import { createInvalidError, NoteError } from '../../../core/error.ts';
import * as message from '../../../core/error-messages.ts';
import { isObject } from '../../../core/json/json.ts';
import { type PortableNote, parsePortableNote } from '../../../core/note.ts';
import type { PortableStore } from '../../../core/store.ts';
import { truncateText } from '../../../core/text/truncate-text.ts';
import { formatNumberedNoteError } from '../http-messages.ts';
import type { JsonBodyReader } from '../json-body-reader.ts';
import type { AddRoute } from '../request.ts';
import { jsonResponseInit } from '../response-headers.ts';
import { setWriteRecord } from '../write-record.ts';

/** A request merges at most this many notes, as a merge delays other requests. */
export const maxMergedNotes = 5_000;
/** A note has up to 34 names, values and separators; the rest of the 60 parts is for unknown fields. */
const maxMergeParts = 60 * maxMergedNotes;

/** Adds the route that merges notes with their ids and times. */
export function addMergeRoutes(on: AddRoute, store: PortableStore, bodies: JsonBodyReader): void {
  on('POST', '/merge', async (c) => {
    const { notes, dryRun = false, ...others } = await bodies.readJsonObject(c.req.raw, maxMergeParts);
    const [unknown] = Object.keys(others);
    // A mistyped dryRun must not merge.
    if (unknown !== undefined)
      throw createInvalidError(message.unknownField(truncateText(unknown, 100), ['notes', 'dryRun']));
    if (typeof dryRun !== 'boolean') throw createInvalidError(message.notOneOf('dryRun', ['true', 'false']));
    const results = await store.merge(parsePortableNotes(notes), { dryRun });
    const merged = dryRun ? 0 : results.filter(({ outcome }) => outcome === 'added' || outcome === 'updated').length;
    setWriteRecord(c, { merged });
    return Response.json({ results }, jsonResponseInit);
  });
}

function parsePortableNotes(notes: unknown): readonly PortableNote[] {
  const isList = Array.isArray(notes) && notes.length <= maxMergedNotes;
  if (!isList) throw createInvalidError(`Must hold an array "notes" of at most ${maxMergedNotes} notes`);
  return notes.map((note: unknown, index) => {
    try {
      if (!isObject(note)) throw createInvalidError('Must be a JSON object');
      return parsePortableNote(note);
    } catch (error) {
      throw error instanceof NoteError ? createInvalidError(formatNumberedNoteError(index + 1, error.message)) : error;
    }
  });
}
