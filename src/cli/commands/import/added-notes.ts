import type { PortableNote } from '../../../core/note.ts';
import type { PortableStore } from '../../../core/store.ts';
import type { Target } from '../../../formats/importer.ts';
import { originsIn, withOrigins } from '../../../formats/origin.ts';
import { digest } from '../../digest.ts';

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
    const outcomes = await this.#store.merge(notes);
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
