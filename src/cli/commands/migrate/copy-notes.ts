import { NoteError } from '../../../core/error.ts';
import type { Note } from '../../../core/note.ts';
import type { MergeOutcome, NoteEngine } from '../../../core/store.ts';
import { originsIn, withOrigins } from '../../../formats/origin.ts';
import type { ProgressLine } from '../../terminal/progress.ts';

/** Limits of a batch: notes, and approximate characters. */
const maxBatch = { notes: 2_000, length: 1024 * 1024 };

export interface MoveOptions {
  /** Aborts the move with its reason. */
  readonly signal: AbortSignal;
  readonly line: ProgressLine;
  /** Called with advice to append to the error, should the move fail from now on. */
  readonly onStage: (next: string) => void;
}

/** A checksum of notes, independent of their order: their number and a hash of all fields. */
interface Sum {
  readonly notes: number;
  readonly hash: string;
}

/**
 * Copies all notes unchanged, ids included. Returns their checksum after verifying that the target has the same. The
 * target must be empty, or hold a part copied before. Throws `NoteError`.
 */
export async function move(source: NoteEngine, target: NoteEngine, options: MoveOptions): Promise<Sum> {
  const lastId = await source.lastId();
  const begun = () => options.onStage(`${target.location} holds what was moved so far: run it again to resume`);
  const refuse = (reason: string): never => {
    options.onStage('Choose an empty one');
    throw new NoteError('unavailable', `Cannot use ${target.location}: ${reason}`);
  };
  await read(target, { ...options, lastId, step: 'Comparing' }, async (notes) => {
    const other = firstNot(['unchanged'], notes, await source.merge(notes, { dryRun: true }));
    if (other) refuse(`it holds other notes, note ${other.id} for one`);
    if (notes.length > 0) begun();
  });
  const given = await read(source, { ...options, lastId, step: 'Moving' }, async (notes) => {
    const outcomes = await target.merge(notes, { lastId }).catch((error) => {
      if (!(error instanceof NoteError && error.outcome === 'none')) begun();
      throw ofStore(target, error);
    });
    const other = firstNot(['added', 'unchanged'], notes, outcomes);
    if (other) refuse(`another program has written note ${other.id} there meanwhile`);
    begun();
  });
  for await (const versions of batchesIn(source, source.scanVersions())) {
    await target.merge(versions).catch((error) => {
      throw ofStore(target, error);
    });
    await Bun.sleep(0);
    options.signal.throwIfAborted();
  }
  const labels = await source.labels();
  if (Object.values(labels).some((label) => label !== null)) await target.setLabels(labels);
  const kept = await read(target, { ...options, lastId, step: 'Checking' });
  const difference = `it was given ${textOf(given)} and holds ${textOf(kept)}`;
  if (textOf(kept) !== textOf(given)) refuse(`${difference}. Look for a trigger or a program that writes there`);
  return given;
}

const textOf = ({ notes, hash }: Sum) => `${notes} notes (hash ${hash})`;

/** Returns the first note with another outcome than expected. */
const firstNot = (expected: readonly MergeOutcome[], notes: readonly Note[], outcomes: readonly MergeOutcome[]) =>
  notes.find((_, at) => !expected.some((outcome) => outcome === outcomes[at]));

interface Reading extends Pick<MoveOptions, 'signal' | 'line'> {
  readonly step: 'Comparing' | 'Moving' | 'Checking';
  /** Upper bound of the ids. */
  readonly lastId: number;
}

/** Passes all notes of a store to `take`. Yields to the event loop between batches, so that signals arrive. */
async function read(
  store: NoteEngine,
  { signal, line, step, lastId }: Reading,
  take: (notes: readonly Note[]) => Promise<void> = async () => {},
): Promise<Sum> {
  let [notes, hash] = [0, 0n];
  for await (const batch of batchesIn(store, withOrigins(store.scan(), originsIn(store)))) {
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
async function* batchesIn(
  store: NoteEngine,
  read: AsyncIterable<readonly Note[]>,
): AsyncGenerator<readonly Note[], void, void> {
  let [batch, length]: [Note[], number] = [[], 0];
  try {
    for await (const notes of read) {
      for (const note of notes) {
        batch.push(note);
        length += note.title.length + note.content.length;
        if (batch.length < maxBatch.notes && length < maxBatch.length) continue;
        yield batch;
        [batch, length] = [[], 0];
      }
    }
  } catch (error) {
    throw ofStore(store, error);
  }
  yield batch;
}

/** Replaces the message by its cause: for a failed request, stores refer to the log of a service. */
function ofStore({ location }: NoteEngine, error: unknown): unknown {
  if (!(error instanceof NoteError && error.cause instanceof Error)) return error;
  return error.reworded(`Cannot use ${location}: ${error.cause.message}`);
}
