import type { ChangeFeed, Changes } from '../core/store.ts';
import type { ChangeCursor, NoteStorage } from './note-storage.ts';

type ChangeSource = Pick<NoteStorage, 'readChangeCursor' | 'readChangesSince' | 'waitForPossibleChanges'>;

/** Reports changes to notes, by any program, to those who follow them. */
export class StorageChangeFeed implements ChangeFeed {
  readonly #storage: ChangeSource;

  constructor(storage: ChangeSource) {
    this.#storage = storage;
  }

  cursor(): ChangeCursor | Promise<ChangeCursor> {
    return this.#storage.readChangeCursor();
  }

  async changesAfter(since: ChangeCursor): Promise<Changes | undefined> {
    const { changes, cursor } = await this.#storage.readChangesSince(since);
    if (changes === undefined) return undefined;
    const latest = new Map<number, string>();
    for (const { id, json } of changes) {
      if (json === undefined) return undefined; // another program has deleted a note, which no client understands
      latest.delete(id); // a note that changed twice is reported where it changed last
      latest.set(id, json);
    }
    return { notes: [...latest.values()], cursor };
  }

  changed(since: ChangeCursor): Promise<void> {
    return this.#storage.waitForPossibleChanges(since);
  }
}
