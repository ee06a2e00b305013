import { NoteError } from '../../../core/error.ts';
import type { Note } from '../../../core/note.ts';
import type { MergeOutcome, MergeResult, NoteEngine } from '../../../core/store.ts';
import { joinOrigins, readAllOrigins } from '../../../formats/origin.ts';
import { addLockHolder } from '../../notes/open-notes.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';

/** Limits of a batch: notes, and approximate characters. */
const maxCopyBatch = { notes: 2_000, length: 1024 * 1024 };

export interface CopyOptions {
  /** Aborts the move with its reason. */
  readonly signal: AbortSignal;
  readonly line: ProgressLine;
  /** Called with advice to append to the error, should the move fail from now on. */
  readonly onStage: (next: string) => void;
}

/** A checksum of notes, independent of their order: their number and a hash of all fields. */
interface Checksum {
  readonly notes: number;
  readonly hash: string;
}

/**
 * Copies all notes unchanged, ids included. Returns their checksum after verifying that the target has the same. The
 * target must be empty, or hold a part copied before. Throws `NoteError`.
 */
export async function copyNotes(source: NoteEngine, target: NoteEngine, options: CopyOptions): Promise<Checksum> {
  const lastId = await source.lastId();
  const adviseToResume = () =>
    options.onStage(`${target.location} holds what was moved so far: run it again to resume`);
  const rejectTarget = (reason: string): never => {
    options.onStage('Choose an empty one');
    throw new NoteError('unavailable', `Cannot use ${target.location}: ${reason}`);
  };
  await readAllNotes(target, { ...options, lastId, step: 'Comparing' }, async (notes) => {
    const other = findUnexpectedNote(['unchanged'], notes, await source.merge(notes, { dryRun: true }));
    if (other) rejectTarget(`it holds other notes, note ${other.id} for one`);
    if (notes.length > 0) adviseToResume();
  });
  const copied = await readAllNotes(source, { ...options, lastId, step: 'Moving' }, async (notes) => {
    const results = await target.merge(notes, { lastId }).catch((error) => {
      if (!(error instanceof NoteError && error.outcome === 'none')) adviseToResume();
      throw explainStoreError(target, error);
    });
    const other = findUnexpectedNote(['added', 'unchanged'], notes, results);
    if (other) rejectTarget(`another program has written note ${other.id} there meanwhile`);
    adviseToResume();
  });
  for await (const versions of regroupIntoBatches(source, source.scanVersions())) {
    await target.merge(versions).catch((error) => {
      throw explainStoreError(target, error);
    });
    await Bun.sleep(0);
    options.signal.throwIfAborted();
  }
  const labels = await source.labels();
  if (Object.values(labels).some((label) => label !== null)) await target.setLabels(labels);
  const stored = await readAllNotes(target, { ...options, lastId, step: 'Checking' });
  const difference = `it was given ${formatChecksum(copied)} and holds ${formatChecksum(stored)}`;
  if (formatChecksum(stored) !== formatChecksum(copied))
    rejectTarget(`${difference}. Look for a trigger or a program that writes there`);
  return copied;
}

const formatChecksum = ({ notes, hash }: Checksum) => `${notes} notes (hash ${hash})`;

/** Finds the first note with another outcome than expected. */
const findUnexpectedNote = (
  expected: readonly MergeOutcome[],
  notes: readonly Note[],
  results: readonly MergeResult[],
) => notes.find((_, at) => !expected.some((outcome) => outcome === results[at]?.outcome));

interface ReadAllOptions extends Pick<CopyOptions, 'signal' | 'line'> {
  readonly step: 'Comparing' | 'Moving' | 'Checking';
  /** Upper bound of the ids. */
  readonly lastId: number;
}

/** Passes all notes of a store to `take`. Yields to the event loop between batches, so that signals arrive. */
async function readAllNotes(
  store: NoteEngine,
  { signal, line, step, lastId }: ReadAllOptions,
  take: (notes: readonly Note[]) => Promise<void> = async () => {},
): Promise<Checksum> {
  let [notes, hash] = [0, 0n];
  for await (const batch of regroupIntoBatches(store, joinOrigins(store.scan(), readAllOrigins(store)))) {
    await take(batch);
    await Bun.sleep(0);
    signal.throwIfAborted();
    notes += batch.length;
    for (const note of batch) hash = BigInt.asUintN(64, hash + Bun.hash.xxHash64(JSON.stringify(note)));
    const last = batch.at(-1);
    if (last) line.show({ step, notes, part: Math.min(1, last.id / lastId) });
  }
  return { notes, hash: hash.toString(16).padStart(16, '0') };
}

/** Regroups notes into batches; the last one may be empty. */
async function* regroupIntoBatches(
  store: NoteEngine,
  read: AsyncIterable<readonly Note[]>,
): AsyncGenerator<readonly Note[], void, void> {
  let [batch, length]: [Note[], number] = [[], 0];
  try {
    for await (const notes of read) {
      for (const note of notes) {
        batch.push(note);
        length += note.title.length + note.content.length;
        if (batch.length < maxCopyBatch.notes && length < maxCopyBatch.length) continue;
        yield batch;
        [batch, length] = [[], 0];
      }
    }
  } catch (error) {
    throw explainStoreError(store, error);
  }
  yield batch;
}

/** Replaces the message by its cause: for a failed request, stores refer to the log of a service. */
function explainStoreError({ location }: NoteEngine, cause: unknown): unknown {
  const error = addLockHolder(cause, location);
  if (!(error instanceof NoteError && error.cause instanceof Error)) return error;
  return error.reworded(`Cannot use ${location}: ${error.cause.message}`);
}
