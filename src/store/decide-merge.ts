/** What a merge does with notes. It is decided here for all databases: they read rows, ask, and write rows. */
import type { Note, NoteDraft, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome, MergeResult } from '../core/store.ts';
import { hasSameFields } from '../core/versions.ts';

/** What decides about the stored note with the id of a merged one. A dry run of an import has hashes of its texts only. */
export interface StoredNote extends Pick<Note, 'createdAt' | 'updatedAt'> {
  /** Whether title, content, category, group and color are equal. */
  readonly hasSameFields: boolean;
  readonly archived: boolean;
  /** The times of its versions, newest first; only asked for if the stored note is newer. */
  readonly versions: () => readonly string[];
}

export interface MergeDecision {
  readonly outcome: MergeOutcome;
  /** Becomes a version: the stored note, or the given one, which is older. */
  readonly version?: 'stored' | 'incoming';
  readonly origin?: Origin | undefined;
}

/** The owners of origins, by key; `new` for a note of this merge without an id. */
type Owners = Map<string, number | 'new'>;

export interface MergeRules {
  /** Those of all origins of a merge. A decision adds the note that keeps its origin. */
  readonly owners: Owners;
  readonly maxVersions: number;
}

/**
 * Decides about one note; those with ids in their order, the others after them: the first with an origin keeps it.
 * `stored` has what earlier notes of the merge changed.
 */
export function decideNoteMerge(
  note: PortableNote,
  stored: StoredNote | undefined,
  { owners, maxVersions }: MergeRules,
): MergeDecision {
  if (note.id === undefined) {
    const origin = originFor(note, owners);
    return note.origin === origin ? { outcome: 'added', origin } : { outcome: 'left' };
  }
  if (stored === undefined) return { outcome: 'added', origin: originFor(note, owners) };
  if (note.createdAt !== stored.createdAt) return { outcome: 'left' };
  if (note.updatedAt < stored.updatedAt) return decideOlder(note, stored, maxVersions);
  const isEqual = stored.hasSameFields && note.archived === stored.archived;
  if (note.updatedAt === stored.updatedAt && !isEqual) return { outcome: 'left' };
  const origin = originFor(note, owners);
  if (note.updatedAt === stored.updatedAt) return { outcome: 'unchanged', origin };
  const isKept = !stored.hasSameFields && maxVersions > 0;
  return { outcome: 'updated', origin, ...(isKept && { version: 'stored' }) };
}

/** An older state becomes a version, unless its time is known, its text is the next one, or newer ones fill the history. */
function decideOlder(note: PortableNote, stored: StoredNote, maxVersions: number): MergeDecision {
  const newer = stored.versions().filter((time) => time >= note.updatedAt);
  const isKnown = newer.length === 0 ? stored.hasSameFields : newer.at(-1) === note.updatedAt;
  return isKnown || newer.length >= maxVersions ? { outcome: 'unchanged' } : { outcome: 'left', version: 'incoming' };
}

function originFor(note: PortableNote, owners: Owners): Origin | undefined {
  const { origin } = note;
  if (origin === undefined) return undefined;
  const id = note.id ?? 'new';
  const owner = owners.get(origin.key);
  if (owner !== undefined && (owner !== id || owner === 'new')) return undefined;
  owners.set(origin.key, id);
  return origin;
}

/** Treats `other`, with these versions, as the stored note with the id of `note`. */
export const compareWithStored = (
  note: NoteDraft,
  other: Omit<PortableNote, 'id'>,
  versions: StoredNote['versions'],
): StoredNote => ({
  createdAt: other.createdAt,
  updatedAt: other.updatedAt,
  hasSameFields: hasSameFields(note, other),
  archived: other.archived,
  versions,
});

export const isAddedOrUpdated = ({ outcome }: Pick<MergeDecision, 'outcome'>): boolean =>
  outcome === 'added' || outcome === 'updated';

const hasId = (note: PortableNote): note is PortableNote & Note => note.id !== undefined;

/** What is stored of the notes of a merge. */
export interface StoredForMerge {
  readonly notes: ReadonlyMap<number, Note>;
  /** The times of the versions, newest first, of the notes that `findIdsOlderThanStored` returns. */
  readonly versionTimes: ReadonlyMap<number, readonly string[]>;
  /** The ids of the notes that have the origins of the merge, by the keys of the origins. */
  readonly originOwners: ReadonlyMap<string, number>;
}

/** A note that gets the next id, its place in the merge, and the origin to store. */
interface InsertedNote {
  readonly note: PortableNote;
  readonly index: number;
  readonly origin: Origin | undefined;
}

/** The note that is stored for a merged one. */
export const toNoteWithId = (id: number, { id: _, origin: __, ...fields }: PortableNote): Note => ({ id, ...fields });

/** What a merge stores. */
export interface MergePlan {
  /** By the place in the merge; those of `inserted` lack the id. */
  readonly results: readonly MergeResult[];
  /** The new states of notes that have an id, stored or not. */
  readonly written: readonly Note[];
  /** Former states of these notes. Those that are stored are the same objects as in `StoredForMerge.notes`. */
  readonly versions: readonly Note[];
  readonly inserted: readonly InsertedNote[];
  /** By the id of the note. */
  readonly origins: ReadonlyMap<number, Origin>;
}

export const collectNoteIds = (notes: readonly PortableNote[]): readonly number[] => [
  ...new Set(notes.flatMap(({ id }) => id ?? [])),
];

export const collectOriginKeys = (notes: readonly PortableNote[]): readonly string[] => [
  ...new Set(notes.flatMap(({ origin }) => origin?.key ?? [])),
];

/** Finds the ids of merged notes that are older than the stored ones: only for these the times of versions matter. */
export const findIdsOlderThanStored = (
  notes: readonly PortableNote[],
  stored: ReadonlyMap<number, Note>,
): readonly number[] => [
  ...new Set(notes.flatMap(({ id = 0, updatedAt }) => (updatedAt < (stored.get(id)?.updatedAt ?? '') ? id : []))),
];

/**
 * Plans a merge; yields before each note, as there may be many. Notes without an id come last, so that none gets an id
 * that another of the notes has.
 */
export function* planMerge(
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
    const note = toNoteWithId(incoming.id, incoming);
    const before = written.get(note.id) ?? stored.notes.get(note.id);
    const times = versionTimes.get(note.id) ?? [];
    const decision = decideNoteMerge(incoming, before && compareWithStored(note, before, () => times), rules);
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
    const decision = decideNoteMerge(note, undefined, rules);
    results[index] = createMergeResult(note, decision, rules.owners);
    if (decision.outcome === 'added') inserted.push({ note, index, origin: decision.origin });
  }
  return { results, written: [...written.values()], versions, inserted, origins };
}

/** The result for a note with this decision: its id, or that of the stored note which has its origin. */
function createMergeResult(note: PortableNote, { outcome }: MergeDecision, owners: Owners): MergeResult {
  const owner = outcome === 'left' && note.origin ? owners.get(note.origin.key) : undefined;
  const id = note.id ?? (owner === 'new' ? undefined : owner);
  return { outcome, ...(id !== undefined && { id }) };
}

/** Completes the results and origins of a plan with the ids that the database assigned to `inserted`, in order. */
export function completeMergeWithNewIds({ results, inserted, origins }: MergePlan, newIds: readonly number[]) {
  const completed = { results: [...results], origins: new Map(origins) };
  for (const [at, { index, origin }] of inserted.entries()) {
    const id = newIds[at];
    if (id === undefined) continue;
    completed.results[index] = { outcome: 'added', id };
    if (origin) completed.origins.set(id, origin);
  }
  return completed;
}

/** Whether a plan stores anything. */
export const hasAnythingToStore = ({ written, versions, inserted, origins }: MergePlan): boolean =>
  written.length + versions.length + inserted.length + origins.size > 0;
