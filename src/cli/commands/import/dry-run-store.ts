import { ignoreNotFound } from '../../../core/error.ts';
import { draftFields, type Note, type NoteDraft, type PortableNote } from '../../../core/note.ts';
import type { CreatedNote, MergeOutcome, NoteOrigin, PortableStore } from '../../../core/store.ts';
import type { ImportTarget, ImportTargetResult } from '../../../formats/importer.ts';
import { decideNoteMerge, isAddedOrUpdated } from '../../../store/decide-merge.ts';

/** Identifies a text by its SHA-256. A weaker hash could collide, and a collision would lose a note. */
export const hashText = (text: string): string => Bun.CryptoHasher.hash('sha256', text, 'base64');

/** The state an import would have left for an id. The text is hashed, since there may be millions. */
interface SimulatedNote extends Pick<PortableNote, 'createdAt' | 'updatedAt' | 'archived'> {
  readonly text: string;
}

/** A store for dry runs: each batch sees what earlier batches would have stored under the same ids and origins. */
export class DryRunStore implements ImportTarget {
  readonly #store: PortableStore;
  readonly #simulated = new Map<number | undefined, SimulatedNote>();
  /** The latest time of each source whose note an import would add, by origin. */
  readonly #sourceTimes = new Map<string, string>();

  constructor(store: PortableStore) {
    this.#store = store;
  }

  findCreatedAt(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    return this.#store.findCreatedAt(times, after);
  }

  async get(id: number): Promise<Note> {
    const earlier = this.#simulated.get(id);
    if (earlier === undefined) return this.#store.get(id);
    const stored = await this.#store.get(id).catch(ignoreNotFound);
    return { ...(stored ?? { ...unknownFields, id }), createdAt: earlier.createdAt, updatedAt: earlier.updatedAt };
  }

  origins(after: number): Promise<readonly NoteOrigin[] | undefined> {
    return this.#store.origins(after);
  }

  history(id: number): AsyncIterable<readonly Note[]> {
    return this.#store.history(id);
  }

  async merge(notes: readonly PortableNote[]): Promise<readonly ImportTargetResult[]> {
    const isKnown = notes.map(({ id }) => this.#simulated.has(id));
    const results = await this.#store.merge(notes, { dryRun: true });
    return notes.map((note, at): ImportTargetResult => {
      const repeated = this.#simulateRepeatedSource(note);
      if (repeated !== undefined) return { outcome: repeated };
      const inStore = results[at]?.outcome ?? 'unchanged';
      const earlier = isKnown[at] ? this.#simulated.get(note.id) : undefined;
      const outcome = earlier === undefined ? inStore : decideAfterEarlierBatch(note, earlier, inStore);
      this.#simulateWrite(note, outcome);
      return { outcome, id: results[at]?.id };
    });
  }

  /** Handles a further state of a source whose note would be added before: the newer of the two becomes the note. */
  #simulateRepeatedSource({ id, origin, updatedAt }: PortableNote): 'updated' | 'versions' | undefined {
    if (id !== undefined || origin === undefined) return undefined;
    const earlier = this.#sourceTimes.get(origin.key);
    const isNewest = earlier === undefined || updatedAt >= earlier;
    if (isNewest) this.#sourceTimes.set(origin.key, updatedAt);
    if (earlier === undefined) return undefined;
    return isNewest ? 'updated' : 'versions';
  }

  #simulateWrite({ id, createdAt, updatedAt, archived, ...note }: PortableNote, outcome: MergeOutcome): void {
    if (id === undefined || !isAddedOrUpdated({ outcome })) return;
    this.#simulated.set(id, { createdAt, updatedAt, archived, text: hashFields(note) });
  }
}

function decideAfterEarlierBatch(note: PortableNote, earlier: SimulatedNote, inStore: MergeOutcome): MergeOutcome {
  const stored = { ...earlier, hasSameFields: hashFields(note) === earlier.text, versionTimes: () => [] };
  const { outcome, version } = decideNoteMerge(note, stored, { owners: new Map(), maxVersions: 1 });
  return version === 'incoming' && inStore === 'unchanged' ? inStore : outcome; // it is in the store or its history
}

/** The fields of a note that a dry run would add: an import reads its times only. */
const unknownFields = {
  title: '',
  content: '',
  category: 'notes',
  group: 'first',
  color: 'info',
  archived: false,
} as const;

const hashFields = (note: NoteDraft): string => hashText(JSON.stringify(draftFields.map((field) => note[field])));
