/** Shared by clients that read and write the same few notes concurrently: the known notes and the history. */
import type { Note } from '../../../src/core/note.ts';
import type { Random } from '../random.ts';
import type { Operation } from './operation.ts';

/** The number of notes read and written, the latest ones. */
const contended = 5;
const maxNotes = 20;

/** Bodies up to this many characters are parsed once and cached. */
const shortBody = 64 * 1024;

export class ContentionRecord {
  readonly history: Operation[] = [];
  /** Entity tags that stood for two states of one list. */
  readonly ambiguousTags: string[] = [];
  /** The number of lists answered with 304. */
  unchanged = 0;
  failed = 0;
  readonly #ids: number[] = [];
  #texts = 0;
  readonly #bodies = new Map<string, readonly Note[]>();
  readonly #versions = new Map<string, Note>();
  readonly #tagged = new Map<string, readonly Note[]>();

  /** A text that no other write sets. */
  createUniqueText(): string {
    return `Text ${++this.#texts}`;
  }

  /** The id of a note to write to; undefined for a new one. */
  pickIdOrUndefined({ below }: Random): number | undefined {
    const isTimeForNew = this.#ids.length < contended || (this.#ids.length < maxNotes && below(200) === 0);
    return isTimeForNew ? undefined : this.#ids.at(-1 - below(contended));
  }

  /** The id of a note to read, which sometimes does not exist yet. */
  pickIdToRead({ below }: Random): number {
    const index = below(contended + 1);
    const known = index < contended ? this.#ids.at(-1 - index) : undefined;
    return known ?? 1 + Math.max(0, ...this.#ids);
  }

  recordOperation(operation: Operation): void {
    this.history.push(operation);
    if (operation.kind === 'read') return;
    for (const [index, { id }] of operation.changes.entries()) {
      const note = operation.notes?.[index];
      if (id === undefined && note !== undefined) this.#ids.push(note.id);
    }
  }

  /** Parses a body. Reuses the objects of notes seen before, as histories are long. */
  parseNotes(body: string): readonly Note[] {
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

  /** Records the list of an entity tag. */
  rememberTag(path: string, tag: string, notes: readonly Note[]): void {
    const known = this.#tagged.getOrInsert(`${path} ${tag}`, notes);
    if (!Bun.deepEquals(known, notes)) this.ambiguousTags.push(`${path} ${tag}`);
  }
}
