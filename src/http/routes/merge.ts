import { invalid, NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { KeptNote } from '../../domain/note.ts';
import { parseKept } from '../../domain/parse.ts';
import type { PortableStore } from '../../domain/store.ts';
import { isObject } from '../../shared/json.ts';
import type { BodyReader } from '../body.ts';
import type { On } from '../edge.ts';
import { jsonAnswer } from '../headers.ts';

/** Most notes in one request: its merge keeps others waiting. */
export const mostToMerge = 5_000;
/** For each note nine names, nine values and what is between them, and as much again. */
const mostParts = 60 * mostToMerge;

/** Adds what takes notes from elsewhere, with their ids and times. */
export function addMerge(on: On, store: PortableStore, bodies: BodyReader): void {
  on('POST', '/merge', async (c) => {
    const { notes, isRehearsal = false } = await bodies.read(c.req.raw, mostParts);
    if (typeof isRehearsal !== 'boolean') throw invalid(message.notOneOf('isRehearsal', ['true', 'false']));
    const outcomes = await store.merge(keptIn(notes), { isRehearsal });
    return new Response(JSON.stringify({ outcomes }), jsonAnswer);
  });
}

function keptIn(notes: unknown): readonly KeptNote[] {
  const isList = Array.isArray(notes) && notes.length <= mostToMerge;
  if (!isList) throw invalid(message.tooManyToMerge(mostToMerge));
  return notes.map((note: unknown, index) => {
    try {
      if (!isObject(note)) throw invalid(message.noteNotAnObject);
      return parseKept(note);
    } catch (error) {
      throw error instanceof NoteError ? invalid(message.wrongNote(index + 1, error.message)) : error;
    }
  });
}
