import { rethrowUnlessNotFound } from '../../../core/error.ts';
import { draftFields, type Note, type NoteDraft, type PortableNote } from '../../../core/note.ts';
import type { CreatedNote, MergeOutcome, NoteOrigin, PortableStore } from '../../../core/store.ts';
import type { ImportTarget, ImportTargetResult } from '../../../formats/importer.ts';
import { decideNoteMergeAndClaimOrigin, isAddedOrUpdated, type StoredNote } from '../../../store/decide-merge.ts';

/** Identifies a text by its SHA-256. A weaker hash could collide, and a collision would lose a note. */
export const computeSha256Base64 = (text: string): string => Bun.CryptoHasher.hash('sha256', text, 'base64');

/** The state an import would have left for an id. The text is hashed, since there may be millions. */
interface SimulatedNote extends Omit<StoredNote, 'hasSameFields' | 'versionTimes'> {
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

  readCreatedNotesPage(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    return this.#store.readCreatedNotesPage(times, after);
  }

  async get(id: number): Promise<Note> {
    const earlier = this.#simulated.get(id);
    if (earlier === undefined) return this.#store.get(id);
    const stored = await this.#store.get(id).catch(rethrowUnlessNotFound);
    const { text: _, ...state } = earlier;
    return { ...(stored ?? { ...unknownTexts, id }), ...state };
  }

  readOriginsPage(after: number): Promise<readonly NoteOrigin[] | undefined> {
    return this.#store.readOriginsPage(after);
  }

  history(id: number): AsyncIterable<readonly Note[]> {
    return this.#store.history(id);
  }

  async merge(notes: readonly PortableNote[]): Promise<readonly ImportTargetResult[]> {
    const isKnown = notes.map(({ id }) => this.#simulated.has(id));
    const results = await this.#store.merge(notes, { dryRun: true });
    return notes.map((note, at): ImportTargetResult => {
      const repeated = this.#recordSourceTimeAndDecideRepeat(note);
      if (repeated !== undefined) return { outcome: repeated };
      const inStore = results[at]?.outcome ?? 'unchanged';
      const earlier = isKnown[at] ? this.#simulated.get(note.id) : undefined;
      const outcome = earlier === undefined ? inStore : decideOutcomeAfterEarlierBatch(note, earlier, inStore);
      this.#recordSimulatedWrite(note, outcome);
      return { outcome, id: results[at]?.id };
    });
  }

  /** Handles a further state of a source whose note would be added before: the newer of the two becomes the note. */
  #recordSourceTimeAndDecideRepeat({ id, origin, updatedAt }: PortableNote): 'updated' | 'versions' | undefined {
    if (id !== undefined || origin === undefined) return undefined;
    const earlier = this.#sourceTimes.get(origin.key);
    const isNewest = earlier === undefined || updatedAt >= earlier;
    if (isNewest) this.#sourceTimes.set(origin.key, updatedAt);
    if (earlier === undefined) return undefined;
    return isNewest ? 'updated' : 'versions';
  }

  #recordSimulatedWrite(
    { id, origin: _, title, content, category, group, color, ...state }: PortableNote,
    outcome: MergeOutcome,
  ): void {
    if (id === undefined || !isAddedOrUpdated({ outcome })) return;
    this.#simulated.set(id, { ...state, text: hashNoteFields({ title, content, category, group, color }) });
  }
}

function decideOutcomeAfterEarlierBatch(
  note: PortableNote,
  earlier: SimulatedNote,
  inStore: MergeOutcome,
): MergeOutcome {
  const stored = { ...earlier, hasSameFields: hashNoteFields(note) === earlier.text, versionTimes: () => [] };
  const { outcome, version } = decideNoteMergeAndClaimOrigin(note, stored, { owners: new Map(), maxVersions: 1 });
  return version === 'incoming' && inStore === 'unchanged' ? inStore : outcome; // it is in the store or its history
}

/** The texts of a note that a dry run would add: an import reads its times only. */
const unknownTexts = {
  title: '',
  content: '',
  category: 'notes',
  group: 'first',
  color: 'info',
} as const;

const hashNoteFields = (note: NoteDraft): string =>
  computeSha256Base64(JSON.stringify(draftFields.map((field) => note[field])));
