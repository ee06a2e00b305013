import { draftFields } from '../domain/enums.ts';
import { NoteError } from '../domain/error.ts';
import type { Note, Origin, PortableNote } from '../domain/note.ts';
import type { MergeOutcome } from '../domain/store.ts';

/** The stored note with the id of a merged one. */
export interface StoredNote {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Whether all other fields are equal. */
  readonly isSame: boolean;
}

/** Decides the outcome for a note; `stored` is the stored note with its id, if any. */
export function decideMerge(note: PortableNote, stored: StoredNote | undefined): MergeOutcome {
  if (stored === undefined) return 'added';
  if (note.createdAt !== stored.createdAt) return 'taken';
  if (note.updatedAt > stored.updatedAt) return 'replaced';
  if (note.updatedAt < stored.updatedAt) return 'newer';
  return stored.isSame ? 'same' : 'different';
}

/** Whether a note with this outcome was stored, as the present note or as a version. */
export const isStored = (outcome: MergeOutcome) => ['added', 'replaced', 'version'].includes(outcome);

/** Whether the store has a note with this outcome as it was given. */
const keepsOrigin = (outcome: MergeOutcome = 'newer') => ['added', 'replaced', 'same'].includes(outcome);

/**
 * Returns the outcomes, and the indices of notes whose origins are stored. The first note with an origin keeps it;
 * `stored` has the stored notes by key. A note without id whose origin belongs to another is `taken`.
 */
export function settleOrigins(
  notes: readonly PortableNote[],
  outcomes: readonly MergeOutcome[],
  stored: ReadonlyMap<string, number>,
) {
  const owners = new Map<string, number | 'new'>(stored);
  const keeps = ({ id, origin }: PortableNote) => {
    if (origin === undefined) return false;
    const owner = owners.get(origin.key);
    if (owner !== undefined && owner !== id) return false;
    owners.set(origin.key, id ?? 'new');
    return true;
  };
  const settled = [...outcomes];
  const indexes: number[] = [];
  for (const [index, note] of notes.entries()) {
    if (note.id !== undefined && keepsOrigin(outcomes[index]) && keeps(note)) indexes.push(index);
  }
  for (const [index, note] of notes.entries()) {
    if (note.id !== undefined || note.origin === undefined) continue;
    if (keeps(note)) indexes.push(index);
    else settled[index] = 'taken';
  }
  return { outcomes: settled, indexes };
}

/** Returns the origins to store, by note. `newIds` has the ids that the store assigned to notes, by index. */
export function originsById(
  notes: readonly PortableNote[],
  indexes: readonly number[],
  newIds: ReadonlyMap<number, number>,
): ReadonlyMap<number, Origin> {
  const origins = new Map<number, Origin>();
  for (const index of indexes) {
    const { id = newIds.get(index), origin } = notes[index] ?? {};
    if (id !== undefined && origin !== undefined) origins.set(id, origin);
  }
  return origins;
}

/** Whether the note keeps its id, instead of getting a new one. */
export const hasId = (note: PortableNote): note is PortableNote & Note => note.id !== undefined;

/** Treats `other` as the stored note with the id of `note`. */
export const asStored = (note: PortableNote, other: PortableNote): StoredNote => ({
  createdAt: other.createdAt,
  updatedAt: other.updatedAt,
  isSame: fields.every((field) => note[field] === other[field]),
});

const fields = [...draftFields, 'archived'] as const;

const retryMs = 20;

/** Retries work that another program prevents (`busy`, with a cause), for up to `waitMs`. */
export async function whileBusy<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  for (const until = performance.now() + waitMs; ; ) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof NoteError && error.code === 'busy' && error.cause !== undefined;
      if (!isBusy || performance.now() > until) throw error;
      await Bun.sleep(retryMs);
    }
  }
}
