import { invalid } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { secretsInNote } from '../../core/tools/secrets.ts';

/** Withholds notes that seem to contain secrets from models, unless allowed. */
export class Secrets {
  readonly #allows: boolean;

  constructor(allows: boolean) {
    this.#allows = allows;
  }

  withholds(note: Note): boolean {
    return !this.#allows && secretsInNote(note).length > 0;
  }

  /** Returns the note. Throws `invalid` if it is withheld. */
  permitted(note: Note): Note {
    if (this.withholds(note)) throw invalid(withheld(note.id, secretsInNote(note)));
    return note;
  }

  /** Removes withheld notes and counts them. */
  async partOf<Found extends { readonly id: number }>(
    found: readonly Found[],
    read: (id: number) => Promise<Note>,
  ): Promise<{ readonly notes: readonly Found[]; readonly withheld?: number }> {
    if (this.#allows) return { notes: found };
    const notes: Found[] = [];
    for (const one of found) if (!this.withholds(await read(one.id))) notes.push(one);
    return { notes, ...(notes.length < found.length && { withheld: found.length - notes.length }) };
  }
}

const withheld = (id: number, kinds: readonly string[]) =>
  `Note ${id} is left out, as it seems to hold ${kinds.join(' and ')}. ` +
  'The user can allow such notes: see --allow-secrets of notes mcp, and MCP_SECRETS of notes serve';
