import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { secretsInNote } from '../../core/tools/secrets.ts';

/** The refusal of a note that seems to contain a secret: no other arguments help. */
export class Withheld extends NoteError {
  constructor({ id }: Note, kinds: readonly string[]) {
    super(
      'invalid',
      `Note ${id} is left out, as it seems to hold ${kinds.join(' and ')}. ` +
        'The user can allow such notes: see --allow-secrets of notes mcp, and MCP_SECRETS of notes serve',
    );
  }
}

/** Withholds notes that seem to contain secrets from models, unless allowed. */
export class Secrets {
  readonly #allows: boolean;

  constructor(allows: boolean) {
    this.#allows = allows;
  }

  withholds(note: Note): boolean {
    return !this.#allows && secretsInNote(note).length > 0;
  }

  /** Returns the note. Throws `Withheld`. */
  permitted(note: Note): Note {
    if (this.withholds(note)) throw new Withheld(note, secretsInNote(note));
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
