import type { ChangeFeed, Changes } from '../core/store.ts';
import type { ChangeCursor, NoteStorage } from './note-storage.ts';

type ChangeSource = Pick<NoteStorage, 'readChangeCursor' | 'readChangesAndCursorSince' | 'waitForPossibleChanges'>;

/** Reports changes to notes, by any program, to those who follow them. */
export class StorageChangeFeed implements ChangeFeed {
  readonly #storage: ChangeSource;

  constructor(storage: ChangeSource) {
    this.#storage = storage;
  }

  readCursor(): ChangeCursor | Promise<ChangeCursor> {
    return this.#storage.readChangeCursor();
  }

  async readChangesAfter(since: ChangeCursor): Promise<Changes | undefined> {
    const { changes, cursor } = await this.#storage.readChangesAndCursorSince(since);
    if (changes === undefined) return undefined;
    const latest = new Map<number, string>();
    for (const { id, json } of changes) {
      if (json === undefined) return undefined; // another program has deleted a note, which no client understands
      latest.delete(id); // a note that changed twice is reported where it changed last
      latest.set(id, json);
    }
    return { notes: [...latest.values()], cursor };
  }

  waitForPossibleChanges(since: ChangeCursor): Promise<void> {
    return this.#storage.waitForPossibleChanges(since);
  }
}
