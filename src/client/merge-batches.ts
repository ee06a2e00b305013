import type { PortableNote } from '../core/note.ts';
import { utf8Length } from '../core/text/utf8.ts';

/** Limits of a merge request; a single note may be longer. */
const maxRequestBatch = { notes: 1_000, bytes: 512 * 1024 };

/** The notes of one merge request, as JSON. */
interface MergeBatch {
  readonly noteJsons: string[];
  bytes: number;
}

/**
 * Splits notes into requests of limited size. Consecutive notes with one id stay in one request.
 * With at most two notes in a request, the ids 1, 2, 2, 3 become the batches [1, 2, 2] and [3].
 */
export function* iterateMergeBatches(notes: readonly PortableNote[]): Generator<MergeBatch, void, void> {
  let batch: MergeBatch = { noteJsons: [], bytes: 0 };
  let previousId: number | undefined;
  for (const note of notes) {
    const text = JSON.stringify(note);
    const bytes = utf8Length(text);
    const isFull = batch.noteJsons.length === maxRequestBatch.notes || batch.bytes + bytes > maxRequestBatch.bytes;
    const hasPreviousId = note.id !== undefined && note.id === previousId;
    if (isFull && !hasPreviousId && batch.noteJsons.length > 0) {
      yield batch;
      batch = { noteJsons: [], bytes: 0 };
    }
    batch.noteJsons.push(text);
    batch.bytes += bytes;
    previousId = note.id;
  }
  if (batch.noteJsons.length > 0) yield batch;
}
