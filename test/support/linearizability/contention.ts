/** What clients share who read and write the same few notes at once: the notes that they know of, and the history. */
import type { Note } from '../../../src/domain/note.ts';
import type { Random } from '../random.ts';
import type { Operation } from './operation.ts';

/** So many notes, the latest ones, are read and written. */
const contended = 5;
const mostNotes = 20;

/** Bodies up to so many characters are parsed once. */
const shortBody = 64 * 1024;

export class Contention {
  readonly history: Operation[] = [];
  /** Tags that stood for two states of one list. */
  readonly ambiguousTags: string[] = [];
  /** How many lists were answered with 304. */
  unchanged = 0;
  /** How many requests failed. */
  failed = 0;
  readonly #ids: number[] = [];
  #texts = 0;
  readonly #bodies = new Map<string, readonly Note[]>();
  readonly #versions = new Map<string, Note>();
  readonly #tagged = new Map<string, readonly Note[]>();

  /** A text that no other write sets. */
  nextText(): string {
    return `Text ${++this.#texts}`;
  }

  /** A note to write to; undefined when it is time for a new one. */
  pickId({ below }: Random): number | undefined {
    const isTimeForNew = this.#ids.length < contended || (this.#ids.length < mostNotes && below(200) === 0);
    return isTimeForNew ? undefined : this.#ids.at(-1 - below(contended));
  }

  /** A note to read; sometimes one that may not be there yet. */
  pickIdToRead({ below }: Random): number {
    const index = below(contended + 1);
    const known = index < contended ? this.#ids.at(-1 - index) : undefined;
    return known ?? 1 + Math.max(0, ...this.#ids);
  }

  record(operation: Operation): void {
    this.history.push(operation);
    if (operation.kind === 'read') return;
    for (const [index, { id }] of operation.changes.entries()) {
      const note = operation.notes?.[index];
      if (id === undefined && note !== undefined) this.#ids.push(note.id);
    }
  }

  /** The notes in a body. Those that were answered before are the same objects again: histories are long. */
  parse(body: string): readonly Note[] {
    const known = this.#bodies.get(body);
    if (known) return known;
    const parsed: Note[] = [JSON.parse(body)].flat();
    const notes = parsed.map((note) => {
      const same = this.#versions.getOrInsert(`${note.id} ${note.updatedAt}`, note);
      return Bun.deepEquals(same, note) ? same : note;
    });
    if (body.length <= shortBody) this.#bodies.set(body, notes);
    return notes;
  }

  /** Keeps what a tag stands for. */
  keepTag(path: string, tag: string, notes: readonly Note[]): void {
    const known = this.#tagged.getOrInsert(`${path} ${tag}`, notes);
    if (!Bun.deepEquals(known, notes)) this.ambiguousTags.push(`${path} ${tag}`);
  }
}
