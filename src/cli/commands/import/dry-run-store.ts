import { unlessMissing } from '../../../core/error.ts';
import { draftFields, type NoteDraft, type PortableNote } from '../../../core/note.ts';
import type { MergeOutcome, PortableStore } from '../../../core/store.ts';
import type { ImportTarget, ImportTargetResult } from '../../../formats/importer.ts';
import { decideMerge, isWritten } from '../../../store/decide-merge.ts';

/** Identifies a text by its SHA-256. A weaker hash could collide, and a collision would lose a note. */
export const hashText = (text: string): string => Bun.CryptoHasher.hash('sha256', text, 'base64');

/** The state an import would have left for an id. The text is hashed, since there may be millions. */
interface SimulatedNote extends Pick<PortableNote, 'createdAt' | 'updatedAt' | 'archived'> {
  readonly text: string;
}

/** A store for dry runs: each batch sees what earlier batches would have stored under the same ids and origins. */
export function createDryRunStore(store: PortableStore): ImportTarget {
  const simulated = new Map<number | undefined, SimulatedNote>();
  /** The times of sources, by origin. */
  const sources = new Map<string, string>();
  /** For a further state of a source whose note is not there yet: the newer of the two becomes the note. */
  const decideRepeatedSource = (note: PortableNote): 'updated' | 'versions' | undefined => {
    if (note.id !== undefined || note.origin === undefined) return undefined;
    const { key } = note.origin;
    const earlier = sources.get(key);
    const isNewer = earlier === undefined || note.updatedAt >= earlier;
    if (isNewer) sources.set(key, note.updatedAt);
    return earlier === undefined ? undefined : isNewer ? 'updated' : 'versions';
  };
  const decideAfterEarlierBatch = (note: PortableNote, earlier: SimulatedNote, inStore: MergeOutcome): MergeOutcome => {
    const stored = { ...earlier, hasSameFields: hashFields(note) === earlier.text, versions: () => [] };
    const { outcome, version } = decideMerge(note, stored, { owners: new Map(), maxVersions: 1 });
    return version === 'given' && inStore === 'unchanged' ? inStore : outcome; // it is in the store or its history
  };
  const simulateWrite = (
    { id, createdAt, updatedAt, archived, ...note }: PortableNote,
    outcome: MergeOutcome,
  ): MergeOutcome => {
    if (id !== undefined && isWritten({ outcome })) {
      simulated.set(id, { createdAt, updatedAt, archived, text: hashFields(note) });
    }
    return outcome;
  };
  return {
    findCreatedAt: (times, after) => store.findCreatedAt(times, after),
    async get(id) {
      const earlier = simulated.get(id);
      if (earlier === undefined) return store.get(id);
      const { createdAt, updatedAt } = earlier;
      return { ...((await store.get(id).catch(unlessMissing)) ?? { ...unknownFields, id }), createdAt, updatedAt };
    },
    origins: (after) => store.origins(after),
    history: (id) => store.history(id),
    async merge(notes) {
      const isKnown = notes.map(({ id }) => simulated.has(id));
      const results = await store.merge(notes, { dryRun: true });
      return notes.map((note, at): ImportTargetResult => {
        const again = decideRepeatedSource(note);
        if (again !== undefined) return { outcome: again };
        const inStore = results[at]?.outcome ?? 'unchanged';
        const earlier = isKnown[at] ? simulated.get(note.id) : undefined;
        const outcome = simulateWrite(note, earlier ? decideAfterEarlierBatch(note, earlier, inStore) : inStore);
        return { outcome, id: results[at]?.id };
      });
    },
  };
}

/** For a note that is not there yet: an import asks for its times only. */
const unknownFields = {
  title: '',
  content: '',
  category: 'notes',
  group: 'first',
  color: 'info',
  archived: false,
} as const;

const hashFields = (note: NoteDraft): string => hashText(JSON.stringify(draftFields.map((field) => note[field])));
