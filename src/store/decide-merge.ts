/** Decides what a merge does with one note, for all databases and for dry runs of imports. */
import { type FlagField, flagFields } from '../core/enums.ts';
import type { Note, NoteDraft, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome } from '../core/store.ts';
import { hasSameDraftFields } from '../core/versions.ts';

/**
 * What the decision has to know of the stored note that has the id of an incoming one. It is less than the note,
 * because a dry run of an import has hashes of the texts only.
 */
export interface StoredNote extends Pick<Note, FlagField | 'createdAt' | 'updatedAt'> {
  /** Whether title, content, category, group and color are equal. */
  readonly hasSameFields: boolean;
  /** Returns the times of its versions, newest first. Called only if the stored note is newer than the incoming one. */
  readonly versionTimes: () => readonly string[];
}

export interface MergeDecision {
  readonly outcome: MergeOutcome;
  /** Which note becomes a version: the stored one, which is replaced, or the incoming one, which is older. */
  readonly version?: 'stored' | 'incoming';
  readonly origin?: Origin | undefined;
}

/** The ids of the notes that have the origins, by the keys of these; `new` for a note of this merge without an id. */
export type OriginOwners = Map<string, number | 'new'>;

export interface MergeRules {
  /** The owners of all origins in a merge. Each decision adds the note that gets its origin. */
  readonly owners: OriginOwners;
  readonly maxVersions: number;
}

/**
 * Decides what a merge does with one incoming note. The notes with ids are to be decided first, in their order, and the
 * others after them. Of several notes with the same origin, the first one gets it: that is recorded in `owners`.
 * `stored` must show what earlier notes of the merge have changed.
 */
export function decideNoteMergeAndClaimOrigin(
  note: PortableNote,
  stored: StoredNote | undefined,
  { owners, maxVersions }: MergeRules,
): MergeDecision {
  if (note.id === undefined) {
    const origin = tryClaimOrigin(note, owners);
    return note.origin === origin ? { outcome: 'added', origin } : { outcome: 'left' };
  }
  if (stored === undefined) return { outcome: 'added', origin: tryClaimOrigin(note, owners) };
  if (note.createdAt !== stored.createdAt) return { outcome: 'left' };
  if (note.updatedAt < stored.updatedAt) return decideMergeOfOlderIncomingNote(note, stored, maxVersions);
  const isEqual = stored.hasSameFields && flagFields.every((name) => note[name] === stored[name]);
  if (note.updatedAt === stored.updatedAt && !isEqual) return { outcome: 'left' };
  const origin = tryClaimOrigin(note, owners);
  if (note.updatedAt === stored.updatedAt) return { outcome: 'unchanged', origin };
  const becomesVersion = !stored.hasSameFields && maxVersions > 0;
  return { outcome: 'updated', origin, ...(becomesVersion && { version: 'stored' }) };
}

/**
 * An incoming note that is older than the stored one becomes a version of it. It does not if there is a version of its
 * time, if the text did not change after it, or if `maxVersions` newer versions are stored.
 */
function decideMergeOfOlderIncomingNote(note: PortableNote, stored: StoredNote, maxVersions: number): MergeDecision {
  const newer = stored.versionTimes().filter((time) => time >= note.updatedAt);
  const isKnown = newer.length === 0 ? stored.hasSameFields : newer.at(-1) === note.updatedAt;
  return isKnown || newer.length >= maxVersions ? { outcome: 'unchanged' } : { outcome: 'left', version: 'incoming' };
}

/** Returns the origin of a note and records the note as its owner; undefined if another note owns the origin. */
function tryClaimOrigin(note: PortableNote, owners: OriginOwners): Origin | undefined {
  const { origin } = note;
  if (origin === undefined) return undefined;
  const id = note.id ?? 'new';
  const owner = owners.get(origin.key);
  if (owner !== undefined && (owner !== id || owner === 'new')) return undefined;
  owners.set(origin.key, id);
  return origin;
}

/** Compares an incoming note with the stored one of its id, whose versions have these times. */
export const compareWithStoredNote = (
  incoming: NoteDraft,
  stored: Note,
  versionTimes: StoredNote['versionTimes'],
): StoredNote => ({ ...stored, hasSameFields: hasSameDraftFields(incoming, stored), versionTimes });

export const isAddedOrUpdated = ({ outcome }: Pick<MergeDecision, 'outcome'>): boolean =>
  outcome === 'added' || outcome === 'updated';
