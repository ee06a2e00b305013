import { unlessMissing } from '../core/error.ts';
import type { Note, PortableNote } from '../core/note.ts';
import { type CreatedNote, maxCreated, type PortableStore, titleStartLength } from '../core/store.ts';

type Notes = Pick<PortableStore, 'findCreatedAt' | 'get'>;

/** What identifies a note without an id. */
type Text = Pick<PortableNote, 'title' | 'content' | 'category' | 'createdAt'>;

/** Finds the stored notes that have the same title, content, category and time of creation as imported ones. */
export class KnownTwins {
  readonly #store: Notes;
  readonly #digest: (text: string) => string;
  /** Digests of what this import adds. */
  readonly #added = new Set<string>();

  /** `digest` shortens a text to a strong hash, or returns the text: a collision would lose a note. */
  constructor(store: Notes, digest: (text: string) => string) {
    this.#store = store;
    this.#digest = digest;
  }

  /** Reads which notes could be twins of some, by a few fields: their contents are compared when one is looked for. */
  async readCandidates(notes: readonly Text[]): Promise<Candidates> {
    const times = [...new Set(notes.map(({ createdAt }) => createdAt))];
    const found: CreatedNote[] = [];
    for (let at = 0; at < times.length; at += maxCreated.times) {
      const some = times.slice(at, at + maxCreated.times);
      for (let after = 0; ; ) {
        const read = await this.#store.findCreatedAt(some, after);
        found.push(...read);
        if (read.length < maxCreated.notes) break;
        after = read.at(-1)?.id ?? after;
      }
    }
    return Map.groupBy(found, createKey);
  }

  /** Finds the stored twin of a note among candidates. */
  async find({ title, content, category, createdAt }: Text, candidates: Candidates): Promise<Note | undefined> {
    const key = createKey({ titleStart: createTitleStart(title), category, createdAt });
    for (const { id } of candidates.get(key) ?? []) {
      const note = await this.#store.get(id).catch(unlessMissing);
      if (note?.title === title && note.content === content) return note;
    }
    return undefined;
  }

  /** Whether this import adds a twin of the note. */
  isAdded(note: Text): boolean {
    return this.#added.has(this.#createDigest(note));
  }

  /** Remembers a note that this import adds. */
  add(note: Text): void {
    this.#added.add(this.#createDigest(note));
  }

  /** Forgets a note that was not added after all. */
  delete(note: Text): void {
    this.#added.delete(this.#createDigest(note));
  }

  #createDigest({ title, content, category, createdAt }: Text): string {
    return this.#digest(JSON.stringify([title, content, category, createdAt]));
  }
}

export type Candidates = ReadonlyMap<string, readonly CreatedNote[]>;

const createKey = ({ titleStart, category, createdAt }: Omit<CreatedNote, 'id'>) =>
  `${createdAt} ${category} ${titleStart}`;

/** A code point has at most two UTF-16 units. */
const createTitleStart = (title: string) =>
  Array.from(title.slice(0, 2 * titleStartLength))
    .slice(0, titleStartLength)
    .join('');
