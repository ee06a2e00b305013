import { unlessMissing } from '../../../core/error.ts';
import { draftFields, type NoteDraft, type PortableNote } from '../../../core/note.ts';
import type { MergeOutcome, PortableStore } from '../../../core/store.ts';
import type { Target } from '../../../formats/importer.ts';
import { originsIn, withOrigins } from '../../../formats/origin.ts';
import { decideMerge, isWritten } from '../../../store/decide-merge.ts';
import { withHolder } from '../../notes/open.ts';

/** Identifies a text by its SHA-256. A weaker hash could collide, and a collision would lose a note. */
export const digest = (text: string): string => Bun.CryptoHasher.hash('sha256', text, 'base64');

/** A target that remembers what is added to it. Merging does not tell the new ids of notes, so they are looked up. */
export class AddedNotes implements Target {
  readonly #store: PortableStore;
  readonly #ids = new Set<number>();
  /** Of notes added without id: digest, and origin, which they keep when a later record updates them. */
  readonly #keys = new Set<string>();

  constructor(store: PortableStore) {
    this.#store = store;
  }

  scan: Target['scan'] = () => this.#store.scan();
  get: Target['get'] = (id) => this.#store.get(id);
  origins: Target['origins'] = (after) => this.#store.origins(after);
  history: Target['history'] = (id) => this.#store.history(id);

  merge: Target['merge'] = async (notes) => {
    const outcomes = await this.#store.merge(notes).catch((error) => {
      throw withHolder(error, this.#store.location);
    });
    for (const [at, note] of notes.entries()) {
      if (outcomes[at] !== 'added') continue;
      if (note.id !== undefined) this.#ids.add(note.id);
      else for (const key of keysOf(note)) this.#keys.add(key);
    }
    return outcomes;
  };

  /** The ids of the added notes. Reads the whole store if any was added without id. */
  async ids(): Promise<readonly number[]> {
    const ids = new Set(this.#ids);
    if (this.#keys.size > 0) {
      for await (const notes of withOrigins(this.#store.scan(), originsIn(this.#store)))
        for (const note of notes) if (keysOf(note).some((key) => this.#keys.has(key))) ids.add(note.id);
    }
    return [...ids];
  }
}

function keysOf({ title, content, category, createdAt, updatedAt, origin }: PortableNote): readonly string[] {
  const key = digest(JSON.stringify([title, content, category, createdAt, updatedAt]));
  return origin === undefined ? [key] : [key, origin.key];
}

/** The state an import would have left for an id. The text is hashed, since there may be millions. */
interface Kept extends Pick<PortableNote, 'createdAt' | 'updatedAt' | 'archived'> {
  readonly text: string;
}

/** A store for dry runs: each batch sees what earlier batches would have stored under the same ids and origins. */
export function dryRunOn(store: PortableStore): Target {
  const kept = new Map<number | undefined, Kept>();
  /** The times of sources, by origin. */
  const sources = new Map<string, string>();
  /** For a further state of a source whose note is not there yet: the newer of the two becomes the note. */
  const outcomeAgain = (note: PortableNote): 'updated' | 'versions' | undefined => {
    if (note.id !== undefined || note.origin === undefined) return undefined;
    const { key } = note.origin;
    const earlier = sources.get(key);
    const isNewer = earlier === undefined || note.updatedAt >= earlier;
    if (isNewer) sources.set(key, note.updatedAt);
    return earlier === undefined ? undefined : isNewer ? 'updated' : 'versions';
  };
  const outcomeAfter = (note: PortableNote, earlier: Kept, inStore: MergeOutcome): MergeOutcome => {
    const stored = { ...earlier, hasSameFields: textOf(note) === earlier.text, versions: () => [] };
    const { outcome, version } = decideMerge(note, stored, { owners: new Map(), maxVersions: 1 });
    return version === 'given' && inStore === 'unchanged' ? inStore : outcome; // it is in the store or its history
  };
  const keep = ({ id, createdAt, updatedAt, archived, ...note }: PortableNote, outcome: MergeOutcome): MergeOutcome => {
    if (id !== undefined && isWritten({ outcome })) {
      kept.set(id, { createdAt, updatedAt, archived, text: textOf(note) });
    }
    return outcome;
  };
  return {
    scan: () => store.scan(),
    async get(id) {
      const earlier = kept.get(id);
      if (earlier === undefined) return store.get(id);
      const { createdAt, updatedAt } = earlier;
      return { ...((await store.get(id).catch(unlessMissing)) ?? { ...unknownTexts, id }), createdAt, updatedAt };
    },
    origins: (after) => store.origins(after),
    history: (id) => store.history(id),
    async merge(notes) {
      const isKnown = notes.map(({ id }) => kept.has(id));
      const outcomes = await store.merge(notes, { dryRun: true });
      return notes.map((note, at) => {
        const again = outcomeAgain(note);
        if (again !== undefined) return again;
        const inStore = outcomes[at] ?? 'unchanged';
        const earlier = isKnown[at] ? kept.get(note.id) : undefined;
        return keep(note, earlier ? outcomeAfter(note, earlier, inStore) : inStore);
      });
    },
  };
}

/** For a note that is not there yet: an import asks for its times only. */
const unknownTexts = {
  title: '',
  content: '',
  category: 'notes',
  group: 'first',
  color: 'info',
  archived: false,
} as const;

const textOf = (note: NoteDraft): string => digest(JSON.stringify(draftFields.map((field) => note[field])));
