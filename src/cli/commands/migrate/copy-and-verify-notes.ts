import { NoteError } from '../../../core/error.ts';
import type { Note } from '../../../core/note.ts';
import type { MergeOutcome, MergeResult, NoteEngine } from '../../../core/store.ts';
import { joinNoteBatchesWithOrigins, streamOriginBatches } from '../../../formats/origin.ts';
import { toErrorWithLockHolder } from '../../notes/open-note-store.ts';
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
export async function copyAndVerifyNotes(
  source: NoteEngine,
  target: NoteEngine,
  options: CopyOptions,
): Promise<Checksum> {
  const copy = new NotesCopier(source, target, { ...options, lastId: await source.readHighestAssignedId() });
  await copy.assertTargetHoldsNoOtherNotes();
  const copied = await copy.copyCurrentNotesAndComputeChecksum();
  await copy.copyVersions();
  await copy.copyLabels();
  await copy.copyPins();
  await copy.assertTargetHasChecksum(copied);
  return copied;
}

/** The steps of a copy, in their order. */
class NotesCopier {
  readonly #source: NoteEngine;
  readonly #target: NoteEngine;
  readonly #options: CopyOptions & Pick<ReadAllOptions, 'lastId'>;

  constructor(source: NoteEngine, target: NoteEngine, options: CopyOptions & Pick<ReadAllOptions, 'lastId'>) {
    this.#source = source;
    this.#target = target;
    this.#options = options;
  }

  /** Throws if the target holds notes that the source does not have. */
  async assertTargetHoldsNoOtherNotes(): Promise<void> {
    await handleAllNotesAndComputeChecksum(this.#target, { ...this.#options, step: 'Comparing' }, async (notes) => {
      const results = await this.#source.merge(notes, { dryRun: true });
      const other = findNoteWithUnexpectedOutcome(['unchanged'], notes, results);
      if (other) this.#throwUnusableTarget(`it holds other notes, note ${other.id} for one`);
      if (notes.length > 0) this.#reportResumeAdvice();
    });
  }

  /** Returns the checksum of what it copied. */
  async copyCurrentNotesAndComputeChecksum(): Promise<Checksum> {
    const { lastId } = this.#options;
    return handleAllNotesAndComputeChecksum(this.#source, { ...this.#options, step: 'Moving' }, async (notes) => {
      const results = await this.#target.merge(notes, { lastId }).catch((error) => {
        if (!(error instanceof NoteError && error.outcome === 'none')) this.#reportResumeAdvice();
        throw toErrorWithLockHolderOrCauseMessage(this.#target, error);
      });
      const other = findNoteWithUnexpectedOutcome(['added', 'unchanged'], notes, results);
      if (other) this.#throwUnusableTarget(`another program has written note ${other.id} there meanwhile`);
      this.#reportResumeAdvice();
    });
  }

  async copyVersions(): Promise<void> {
    for await (const versions of regroupNotesIntoBatches(this.#source, this.#source.streamAllVersionBatches())) {
      await this.#target.merge(versions).catch((error) => {
        throw toErrorWithLockHolderOrCauseMessage(this.#target, error);
      });
      await Bun.sleep(0); // lets signals arrive
      this.#options.signal.throwIfAborted();
    }
  }

  async copyLabels(): Promise<void> {
    const labels = await this.#source.labels();
    if (Object.values(labels).some((label) => label !== null)) await this.#target.setLabels(labels);
  }

  async copyPins(): Promise<void> {
    const { ids } = await this.#source.readPins();
    if (ids.length > 0) await this.#target.replacePins(ids);
  }

  /** Throws if the target has not what was copied. */
  async assertTargetHasChecksum(copied: Checksum): Promise<void> {
    const stored = await handleAllNotesAndComputeChecksum(this.#target, { ...this.#options, step: 'Checking' });
    if (formatCountAndHash(stored) === formatCountAndHash(copied)) return;
    const difference = `it was given ${formatCountAndHash(copied)} and holds ${formatCountAndHash(stored)}`;
    this.#throwUnusableTarget(`${difference}. Look for a trigger or a program that writes there`);
  }

  #reportResumeAdvice(): void {
    this.#options.onStage(`${this.#target.location} holds what was moved so far: run it again to resume`);
  }

  #throwUnusableTarget(reason: string): never {
    this.#options.onStage('Choose an empty one');
    throw new NoteError('unavailable', `Cannot use ${this.#target.location}: ${reason}`);
  }
}

const formatCountAndHash = ({ notes, hash }: Checksum) => `${notes} notes (hash ${hash})`;

/** Finds the first note with another outcome than expected. */
const findNoteWithUnexpectedOutcome = (
  expected: readonly MergeOutcome[],
  notes: readonly Note[],
  results: readonly MergeResult[],
) => notes.find((_, at) => !expected.some((outcome) => outcome === results[at]?.outcome));

interface ReadAllOptions extends Pick<CopyOptions, 'signal' | 'line'> {
  readonly step: 'Comparing' | 'Moving' | 'Checking';
  /** Upper bound of the ids. */
  readonly lastId: number;
}

/**
 * Reads all notes of a store, calls `handleBatch` with each batch, and returns their checksum. Lets the event loop run
 * between batches, so that signals arrive.
 */
async function handleAllNotesAndComputeChecksum(
  store: NoteEngine,
  { signal, line, step, lastId }: ReadAllOptions,
  handleBatch: (notes: readonly Note[]) => Promise<void> = async () => {},
): Promise<Checksum> {
  let [notes, hash] = [0, 0n];
  for await (const batch of regroupNotesIntoBatches(
    store,
    joinNoteBatchesWithOrigins(store.scan(), streamOriginBatches(store)),
  )) {
    await handleBatch(batch);
    await Bun.sleep(0);
    signal.throwIfAborted();
    notes += batch.length;
    for (const note of batch) hash = BigInt.asUintN(64, hash + Bun.hash.xxHash64(JSON.stringify(note)));
    const last = batch.at(-1);
    if (last) line.update({ step, notes, part: Math.min(1, last.id / lastId) });
  }
  return { notes, hash: hash.toString(16).padStart(16, '0') };
}

/** Regroups notes into batches of limited size; the last one may be empty. */
async function* regroupNotesIntoBatches(
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
    throw toErrorWithLockHolderOrCauseMessage(store, error);
  }
  yield batch;
}

/**
 * Returns the error with the message of its cause. A store that fails refers its users to the log of a service; this
 * command has no log, so it shows the cause itself.
 */
function toErrorWithLockHolderOrCauseMessage({ location }: NoteEngine, cause: unknown): unknown {
  const error = toErrorWithLockHolder(cause, location);
  if (!(error instanceof NoteError && error.cause instanceof Error)) return error;
  return error.withMessage(`Cannot use ${location}: ${error.cause.message}`);
}
