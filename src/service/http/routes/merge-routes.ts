import { invalid, NoteError } from '../../../core/error.ts';
import * as message from '../../../core/message.ts';
import { isPortableTime, type PortableNote, parsePortable } from '../../../core/note.ts';
import { parseAfter } from '../../../core/parse.ts';
import { maxCreated, type PortableStore } from '../../../core/store.ts';
import { isObject } from '../../../core/tools/json.ts';
import { part } from '../../../core/tools/text.ts';
import type { BodyReader } from '../body-reader.ts';
import { wrongNote } from '../http-messages.ts';
import { type AddRoute, splitUrl } from '../request.ts';
import { jsonResponseInit } from '../response-headers.ts';
import { setWriteRecord } from '../write-record.ts';

/** Adds the origins of notes, in pages. */
export function addOriginsRoutes(on: AddRoute, store: Pick<PortableStore, 'origins'>): void {
  on('GET', '/origins', async (c) => {
    const after = parseAfter(new URLSearchParams(splitUrl(c.req.raw.url).query));
    return Response.json((await store.origins(after)) ?? [], jsonResponseInit);
  });
}

/** A text and a comma for each time; more times than allowed are to be rejected by their number. */
const maxTimeParts = 4 * maxCreated.times;

/** Adds the search for notes by the times of their creation, which an import asks whether it has them already. */
export function addCreatedRoutes(on: AddRoute, store: Pick<PortableStore, 'findCreatedAt'>, bodies: BodyReader): void {
  on('POST', '/created', async (c) => {
    const { times, after = 0 } = await bodies.readObject(c.req.raw, maxTimeParts);
    const isList = Array.isArray(times) && times.length <= maxCreated.times && times.every(isPortableTime);
    if (!isList) throw invalid(`Must hold an array "times" of at most ${maxCreated.times} times of creation`);
    if (!Number.isSafeInteger(after) || Number(after) < 0) throw invalid('Invalid after. Must be an id, or 0');
    return Response.json(await store.findCreatedAt(times, Number(after)), jsonResponseInit);
  });
}

/** Limit of notes per request: a merge delays other requests. */
export const maxMergedNotes = 5_000;
/** 60 per note: up to 34 for names, values and separators, the rest for unknown fields. */
const maxMergeParts = 60 * maxMergedNotes;

/** Adds the merge of notes with their ids and times. */
export function addMergeRoutes(on: AddRoute, store: PortableStore, bodies: BodyReader): void {
  on('POST', '/merge', async (c) => {
    const { notes, dryRun = false, ...others } = await bodies.readObject(c.req.raw, maxMergeParts);
    const [unknown] = Object.keys(others);
    // A mistyped dryRun must not merge.
    if (unknown !== undefined) throw invalid(message.unknownField(part(unknown, 100), ['notes', 'dryRun']));
    if (typeof dryRun !== 'boolean') throw invalid(message.notOneOf('dryRun', ['true', 'false']));
    const results = await store.merge(parsePortableNotes(notes), { dryRun });
    const merged = dryRun ? 0 : results.filter(({ outcome }) => outcome === 'added' || outcome === 'updated').length;
    setWriteRecord(c, { merged });
    return Response.json({ results }, jsonResponseInit);
  });
}

function parsePortableNotes(notes: unknown): readonly PortableNote[] {
  const isList = Array.isArray(notes) && notes.length <= maxMergedNotes;
  if (!isList) throw invalid(`Must hold an array "notes" of at most ${maxMergedNotes} notes`);
  return notes.map((note: unknown, index) => {
    try {
      if (!isObject(note)) throw invalid('Must be a JSON object');
      return parsePortable(note);
    } catch (error) {
      throw error instanceof NoteError ? invalid(wrongNote(index + 1, error.message)) : error;
    }
  });
}
