/** Plans merges, for all databases: they read what is stored, and store what is planned here. */
import type { Note, Origin, PortableNote } from '../core/note.ts';
import type { MergeResult } from '../core/store.ts';
import {
  compareWithStoredNote,
  decideNoteMergeAndClaimOrigin,
  isAddedOrUpdated,
  type MergeDecision,
  type OriginOwners,
} from './decide-merge.ts';

/** What is stored of the notes of a merge. */
export interface StoredForMerge {
  readonly notes: ReadonlyMap<number, Note>;
  /** The times of the versions, newest first, of the notes that `collectIdsOlderThanStored` returns. */
  readonly versionTimes: ReadonlyMap<number, readonly string[]>;
  /** The ids of the notes that have the origins of the merge, by the keys of the origins. */
  readonly originOwners: ReadonlyMap<string, number>;
}

/** A note without an id, to which the database assigns the next one. */
interface InsertedNote {
  readonly note: PortableNote;
  /** Its index among the notes of the merge. */
  readonly index: number;
  /** The origin to store with it. */
  readonly origin: Origin | undefined;
}

/** Adds the id to an incoming note, and removes its origin, which is stored apart. */
export const toNoteWithIdWithoutOrigin = (id: number, { id: _, origin: __, ...fields }: PortableNote): Note => ({
  id,
  ...fields,
});

/** What a merge stores. */
export interface MergePlan {
  /** In the order of the notes of the merge. The results of `inserted` have no id yet. */
  readonly results: readonly MergeResult[];
  /** The new states of notes that have an id: of stored notes, and of new ones. */
  readonly written: readonly Note[];
  /** The states that become versions. Those of stored notes are the same objects as in `StoredForMerge.notes`. */
  readonly versions: readonly Note[];
  readonly inserted: readonly InsertedNote[];
  /** The origins to store, by the id of the note; those of `inserted` are not among them. */
  readonly origins: ReadonlyMap<number, Origin>;
}

export const collectNoteIds = (notes: readonly PortableNote[]): readonly number[] => [
  ...new Set(notes.flatMap(({ id }) => id ?? [])),
];

export const collectOriginKeys = (notes: readonly PortableNote[]): readonly string[] => [
  ...new Set(notes.flatMap(({ origin }) => origin?.key ?? [])),
];

/** Finds the ids of incoming notes that are older than the stored ones: only these need the times of versions. */
export const collectIdsOlderThanStored = (
  notes: readonly PortableNote[],
  stored: ReadonlyMap<number, Note>,
): readonly number[] => [
  ...new Set(notes.flatMap(({ id = 0, updatedAt }) => (updatedAt < (stored.get(id)?.updatedAt ?? '') ? id : []))),
];

/**
 * Plans a merge. Yields before each note, so that other requests can be served meanwhile. Notes without an id come
 * last, so that none of them gets an id that another note of the merge has.
 *
 * Example: note 1 is stored with the title "Old" and `updatedAt` 5. Three notes are merged:
 * 1. A note without an id waits until the others are decided. No note has its origin "k", so it goes to `inserted`, with
 *    the result `added`, whose id the database assigns later.
 * 2. Note 1 with the title "New" and `updatedAt` 9 is newer than the stored one. It goes to `written`, "Old" goes to
 *    `versions`, and the result is `updated`.
 * 3. Note 1 with the title "Older" and `updatedAt` 3 is compared with what step 2 has made of note 1. It is older, so it
 *    goes to `versions` only, and the result is `left`.
 *
 * The plan: `written` has "New", `versions` has "Old" and "Older", `inserted` has the note without an id, and `results`
 * are `added`, `updated` and `left`.
 */
export function* planMergeInSteps(
  notes: readonly PortableNote[],
  stored: StoredForMerge,
  maxVersions: number,
): Generator<void, MergePlan, void> {
  const rules = { owners: new Map<string, number | 'new'>(stored.originOwners), maxVersions };
  const versionTimes = new Map(stored.versionTimes);
  const results: MergeResult[] = Array(notes.length);
  const written = new Map<number, Note>();
  const versions: Note[] = [];
  const inserted: InsertedNote[] = [];
  const origins = new Map<number, Origin>();

  function planNote(incoming: PortableNote & Note): MergeResult {
    const note = toNoteWithIdWithoutOrigin(incoming.id, incoming);
    const before = written.get(note.id) ?? stored.notes.get(note.id);
    const times = versionTimes.get(note.id) ?? [];
    const decision = decideNoteMergeAndClaimOrigin(
      incoming,
      before && compareWithStoredNote(note, before, () => times),
      rules,
    );
    const version = decision.version === 'incoming' ? note : before;
    if (decision.version !== undefined && version !== undefined) {
      versions.push(version);
      versionTimes.set(note.id, [...times, version.updatedAt].sort().reverse().slice(0, maxVersions));
    }
    if (isAddedOrUpdated(decision)) written.set(note.id, note);
    if (decision.origin) origins.set(note.id, decision.origin);
    return createMergeResult(incoming, decision, rules.owners);
  }

  for (const [index, note] of notes.entries()) {
    yield;
    if (hasId(note)) results[index] = planNote(note);
  }
  for (const [index, note] of notes.entries()) {
    yield;
    if (hasId(note)) continue;
    const decision = decideNoteMergeAndClaimOrigin(note, undefined, rules);
    results[index] = createMergeResult(note, decision, rules.owners);
    if (decision.outcome === 'added') inserted.push({ note, index, origin: decision.origin });
  }
  return { results, written: [...written.values()], versions, inserted, origins };
}

const hasId = (note: PortableNote): note is PortableNote & Note => note.id !== undefined;

/** Creates the result of a note. If another note has its origin, the result has the id of that note. */
function createMergeResult(note: PortableNote, { outcome }: MergeDecision, owners: OriginOwners): MergeResult {
  const owner = outcome === 'left' && note.origin ? owners.get(note.origin.key) : undefined;
  const id = note.id ?? (owner === 'new' ? undefined : owner);
  return { outcome, ...(id !== undefined && { id }) };
}

/** Completes the results and origins of a plan with the ids that the database assigned to `inserted`, in order. */
export function completeWithAssignedIds({ results, inserted, origins }: MergePlan, newIds: readonly number[]) {
  const completed = { results: [...results], origins: new Map(origins) };
  for (const [position, { index, origin }] of inserted.entries()) {
    const id = newIds[position];
    if (id === undefined) continue;
    completed.results[index] = { outcome: 'added', id };
    if (origin) completed.origins.set(id, origin);
  }
  return completed;
}

/** Whether a plan stores anything. */
export const hasAnythingToStore = ({ written, versions, inserted, origins }: MergePlan): boolean =>
  written.length + versions.length + inserted.length + origins.size > 0;
