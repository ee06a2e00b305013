import { NoteError } from '../domain/error.ts';
import type { Note, PortableNote } from '../domain/note.ts';
import type { MergeOutcome } from '../domain/store.ts';

/** What has the id of a note that is merged. */
export interface Present {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Whether all else is as in that note, too. */
  readonly isSame: boolean;
}

/** What becomes of a note that is merged into a store where `present` has its id, or none has. */
export function decideMerge(note: PortableNote, present: Present | undefined): MergeOutcome {
  if (present === undefined) return 'added';
  if (note.createdAt !== present.createdAt) return 'taken';
  if (note.updatedAt > present.updatedAt) return 'replaced';
  if (note.updatedAt < present.updatedAt) return 'newer';
  return present.isSame ? 'same' : 'different';
}

/** Whether a note with this outcome was stored, as it is now or as it was. */
export const isStored = (outcome: MergeOutcome) => ['added', 'replaced', 'version'].includes(outcome);

/** Whether a note with this outcome is stored as it was given. */
const keepsOrigin = (outcome: MergeOutcome = 'newer') => ['added', 'replaced', 'same'].includes(outcome);

/**
 * At which places notes stand whose origins are kept. The first note to have an origin keeps it: `ownerOf` tells which one
 * stored has a key. A note without an id that would have the origin of another one is `taken`.
 */
export function settleOrigins(
  notes: readonly PortableNote[],
  outcomes: readonly MergeOutcome[],
  ownerOf: (key: string) => number | undefined,
) {
  const owners = new Map<string, number | 'new'>();
  const keeps = ({ id, origin }: PortableNote) => {
    if (origin === undefined) return false;
    const owner = owners.get(origin.key) ?? ownerOf(origin.key);
    if (owner !== undefined && owner !== id) return false;
    owners.set(origin.key, id ?? 'new');
    return true;
  };
  const settled = [...outcomes];
  const places: number[] = [];
  for (const [place, note] of notes.entries()) {
    if (note.id !== undefined && keepsOrigin(outcomes[place]) && keeps(note)) places.push(place);
  }
  for (const [place, note] of notes.entries()) {
    if (note.id !== undefined || note.origin === undefined) continue;
    if (keeps(note)) places.push(place);
    else settled[place] = 'taken';
  }
  return { outcomes: settled, places };
}

/** The notes that were stored as they are now; undefined where some were given their ids by the store. */
export function mergedNotes(
  notes: readonly PortableNote[],
  outcomes: readonly MergeOutcome[],
): readonly Note[] | undefined {
  const stored = notes.filter((_, index) => ['added', 'replaced'].includes(outcomes[index] ?? ''));
  return stored.every(hasId) ? stored.map(({ id, origin: _, ...note }) => ({ id, ...note })) : undefined;
}

const hasId = (note: PortableNote): note is PortableNote & Note => note.id !== undefined;

/** `other`, as what is in the way of `note`. */
export const presentFor = (note: PortableNote, other: PortableNote): Present => ({
  createdAt: other.createdAt,
  updatedAt: other.updatedAt,
  isSame: fields.every((field) => note[field] === other[field]),
});

const fields = ['title', 'content', 'category', 'group', 'color', 'archived'] as const;

const retryMs = 20;

/** Does again what another program kept from being done (`busy`, with its cause), until it has taken `waitMs`. */
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
