import { ignoreNotFound } from '../core/error.ts';
import type { Note, PortableNote } from '../core/note.ts';
import { type CreatedNote, maxCreated, type PortableStore, titleStartLength } from '../core/store.ts';

type TwinStore = Pick<PortableStore, 'findCreatedAt' | 'get'>;

/** What identifies a note without an id. */
type NoteText = Pick<PortableNote, 'title' | 'content' | 'category' | 'createdAt'>;

/** Finds the stored notes that have the same title, content, category and time of creation as imported ones. */
export class KnownTwins {
  readonly #store: TwinStore;
  readonly #digest: (text: string) => string;
  /** Digests of what this import adds. */
  readonly #added = new Set<string>();

  /** `digest` shortens a text to a strong hash, or returns the text: a collision would lose a note. */
  constructor(store: TwinStore, digest: (text: string) => string) {
    this.#store = store;
    this.#digest = digest;
  }

  /** Reads which notes could be twins of some, by a few fields: their contents are compared when one is looked for. */
  async readCandidatesByKey(notes: readonly NoteText[]): Promise<Candidates> {
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
    return Map.groupBy(found, createCandidateKey);
  }

  /** Finds the stored twin of a note among candidates. */
  async findStoredTwin(
    { title, content, category, createdAt }: NoteText,
    candidates: Candidates,
  ): Promise<Note | undefined> {
    const key = createCandidateKey({ titleStart: cutTitleStart(title), category, createdAt });
    for (const { id } of candidates.get(key) ?? []) {
      const note = await this.#store.get(id).catch(ignoreNotFound);
      if (note?.title === title && note.content === content) return note;
    }
    return undefined;
  }

  /** Whether this import adds a twin of the note. */
  hasAddedTwin(note: NoteText): boolean {
    return this.#added.has(this.#hashNote(note));
  }

  /** Remembers a note that this import adds. */
  rememberAdded(note: NoteText): void {
    this.#added.add(this.#hashNote(note));
  }

  /** Forgets a note that was not added after all. */
  forgetAdded(note: NoteText): void {
    this.#added.delete(this.#hashNote(note));
  }

  #hashNote({ title, content, category, createdAt }: NoteText): string {
    return this.#digest(JSON.stringify([title, content, category, createdAt]));
  }
}

export type Candidates = ReadonlyMap<string, readonly CreatedNote[]>;

const createCandidateKey = ({ titleStart, category, createdAt }: Omit<CreatedNote, 'id'>) =>
  `${createdAt} ${category} ${titleStart}`;

/** A code point has at most two UTF-16 units. */
const cutTitleStart = (title: string) =>
  Array.from(title.slice(0, 2 * titleStartLength))
    .slice(0, titleStartLength)
    .join('');
