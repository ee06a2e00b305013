import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { findSecretKindsInNote } from '../../core/secrets.ts';

/** Rejects a request for a note that seems to contain a secret: no other arguments help. */
export class WithheldNoteError extends NoteError {
  constructor({ id }: Note, kinds: readonly string[]) {
    super(
      'invalid',
      `Note ${id} is left out, as it seems to hold ${kinds.join(' and ')}. ` +
        'The user can allow such notes: see --allow-secrets of notes mcp, and MCP_SECRETS of notes serve',
    );
  }
}

/** Withholds notes that seem to contain secrets from models, unless allowed. */
export class SecretPolicy {
  readonly #allowsSecrets: boolean;

  constructor(allowsSecrets: boolean) {
    this.#allowsSecrets = allowsSecrets;
  }

  isWithheldNote(note: Note): boolean {
    return !this.#allowsSecrets && findSecretKindsInNote(note).length > 0;
  }

  /** Returns the note. Throws `WithheldNoteError`. */
  getPermittedNoteOrThrow(note: Note): Note {
    if (this.isWithheldNote(note)) throw new WithheldNoteError(note, findSecretKindsInNote(note));
    return note;
  }

  /** Returns the found notes without the withheld ones, and how many those are. `read` gets a note with its content. */
  async readAndOmitWithheldNotes<Found extends { readonly id: number }>(
    found: readonly Found[],
    read: (id: number) => Promise<Note>,
  ): Promise<{ readonly notes: readonly Found[]; readonly withheld?: number }> {
    if (this.#allowsSecrets) return { notes: found };
    const notes: Found[] = [];
    for (const one of found) if (!this.isWithheldNote(await read(one.id))) notes.push(one);
    return { notes, ...(notes.length < found.length && { withheld: found.length - notes.length }) };
  }
}
