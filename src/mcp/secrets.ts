import { NoteError } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import type { Note } from '../domain/note.ts';
import { secretsInNote } from '../shared/secrets/secrets.ts';

/** Keeps notes that seem to hold secrets from the models that programs ask, unless they are allowed. */
export class Secrets {
  readonly #allows: boolean;

  constructor(allows: boolean) {
    this.#allows = allows;
  }

  withholds(note: Note): boolean {
    return !this.#allows && secretsInNote(note).length > 0;
  }

  /** The note, or throws `invalid` with the reason why it is not told. */
  told(note: Note): Note {
    if (this.withholds(note)) throw new NoteError('invalid', message.withheld(note.id, secretsInNote(note)));
    return note;
  }

  /** Of what was found, what may be told, and how many others there are. */
  async partOf<Found extends { readonly id: number }>(
    found: readonly Found[],
    read: (id: number) => Promise<Note>,
  ): Promise<{ readonly notes: readonly Found[]; readonly withheld?: number }> {
    if (this.#allows) return { notes: found };
    const isWithheld = await Promise.all(found.map(async ({ id }) => this.withholds(await read(id))));
    const notes = found.filter((_, at) => !isWithheld[at]);
    return { notes, ...(notes.length < found.length && { withheld: found.length - notes.length }) };
  }
}
