/** What a merge does with a note, decided here for all engines: they read rows, ask, and write rows. */
import type { Note, NoteDraft, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome, MergeResult } from '../core/store.ts';
import { hasSameFields } from '../core/versions.ts';

/** The stored note with the id of a merged one. A dry run of an import keeps hashes of the texts alone. */
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
  readonly version?: 'stored' | 'given';
  readonly origin?: Origin | undefined;
}

/** The owners of origins, by key; `new` for a note of this merge without an id. */
export type Owners = Map<string, number | 'new'>;

export interface MergeRules {
  /** Those of all origins of a merge. A decision adds the note that keeps its origin. */
  readonly owners: Owners;
  readonly maxVersions: number;
}

/**
 * Decides about one note; those with ids in their order, the others after them: the first with an origin keeps it.
 * `stored` has what earlier notes of the merge changed.
 */
export function decideMerge(
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
  return isKnown || newer.length >= maxVersions ? { outcome: 'unchanged' } : { outcome: 'left', version: 'given' };
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

/** The result of a merge for a note with this decision; `newId` if it was inserted. */
export function createMergeResult(
  note: PortableNote,
  { outcome }: MergeDecision,
  owners: Owners,
  newId?: number,
): MergeResult {
  const owner = outcome === 'left' && note.origin ? owners.get(note.origin.key) : undefined;
  const id = note.id ?? newId ?? (owner === 'new' ? undefined : owner);
  return { outcome, ...(id !== undefined && { id }) };
}

/** Treats `other`, with these versions, as the stored note with the id of `note`. */
export const storedAs = (
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

export const isWritten = ({ outcome }: Pick<MergeDecision, 'outcome'>): boolean =>
  outcome === 'added' || outcome === 'updated';

export const hasId = (note: PortableNote): note is PortableNote & Note => note.id !== undefined;
