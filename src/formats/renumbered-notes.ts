import type { PortableNote } from '../core/note.ts';

/** The notes that an import has given a new id, as the store has another note with their id. */
export class LatestRenumberedStates {
  /** The last change of each note, by its old id and time of creation. */
  readonly #lastChanges = new Map<string, string>();

  /** Whether a later state of the note was given a new id. */
  hasLaterState({ id, createdAt, updatedAt }: PortableNote): boolean {
    const latest = this.#lastChanges.get(`${id} ${createdAt}`);
    return latest !== undefined && updatedAt < latest;
  }

  /** Remembers the first state that gets a new id, which is the latest one, as exports begin with it. */
  rememberFirstState({ id, createdAt, updatedAt }: PortableNote): void {
    const key = `${id} ${createdAt}`;
    if (!this.#lastChanges.has(key)) this.#lastChanges.set(key, updatedAt);
  }
}
