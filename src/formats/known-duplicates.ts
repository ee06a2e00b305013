import { rethrowUnlessNotFound } from '../core/error.ts';
import type { Note, PortableNote } from '../core/note.ts';
import { type CreatedNote, maxCreated, type PortableStore, titleStartLength } from '../core/store.ts';

type DuplicateStore = Pick<PortableStore, 'readCreatedNotesPage' | 'get'>;

/** These fields identify a note without an id. */
type NoteText = Pick<PortableNote, 'title' | 'content' | 'category' | 'createdAt'>;

/**
 * Knows the duplicates of imported notes: stored notes, and notes that this import adds, with the same title, content,
 * category and time of creation.
 */
export class KnownDuplicates {
  readonly #store: DuplicateStore;
  readonly #digest: (text: string) => string;
  /** The digests of the notes that this import adds. */
  readonly #added = new Set<string>();

  /** `digest` shortens a text to a strong hash, or returns the text: a collision would lose a note. */
  constructor(store: DuplicateStore, digest: (text: string) => string) {
    this.#store = store;
    this.#digest = digest;
  }

  /**
   * Reads which stored notes could be duplicates of these notes, by a few fields. `findStoredDuplicate` compares the
   * texts.
   */
  async readDuplicateCandidatesByKey(notes: readonly NoteText[]): Promise<DuplicateCandidates> {
    const times = [...new Set(notes.map(({ createdAt }) => createdAt))];
    const found: CreatedNote[] = [];
    for (let at = 0; at < times.length; at += maxCreated.times) {
      const some = times.slice(at, at + maxCreated.times);
      for (let after = 0; ; ) {
        const read = await this.#store.readCreatedNotesPage(some, after);
        found.push(...read);
        if (read.length < maxCreated.notes) break;
        after = read.at(-1)?.id ?? after;
      }
    }
    return Map.groupBy(found, createDuplicateKey);
  }

  /** Finds the stored duplicate of a note among candidates. */
  async findStoredDuplicate(
    { title, content, category, createdAt }: NoteText,
    candidates: DuplicateCandidates,
  ): Promise<Note | undefined> {
    const key = createDuplicateKey({ titleStart: getTitleStart(title), category, createdAt });
    for (const { id } of candidates.get(key) ?? []) {
      const note = await this.#store.get(id).catch(rethrowUnlessNotFound);
      if (note?.title === title && note.content === content) return note;
    }
    return undefined;
  }

  /** Whether this import adds a duplicate of the note. */
  hasAddedDuplicate(note: NoteText): boolean {
    return this.#added.has(this.#hashNote(note));
  }

  /** Remembers a note that this import adds. */
  rememberAddedNote(note: NoteText): void {
    this.#added.add(this.#hashNote(note));
  }

  /** Forgets a note that was not added after all. */
  forgetAddedNote(note: NoteText): void {
    this.#added.delete(this.#hashNote(note));
  }

  #hashNote({ title, content, category, createdAt }: NoteText): string {
    return this.#digest(JSON.stringify([title, content, category, createdAt]));
  }
}

export type DuplicateCandidates = ReadonlyMap<string, readonly CreatedNote[]>;

const createDuplicateKey = ({ titleStart, category, createdAt }: Omit<CreatedNote, 'id'>) =>
  `${createdAt} ${category} ${titleStart}`;

/** Cuts a title to the code points that the store returns of titles. A code point has at most two UTF-16 units. */
const getTitleStart = (title: string) =>
  Array.from(title.slice(0, 2 * titleStartLength))
    .slice(0, titleStartLength)
    .join('');
