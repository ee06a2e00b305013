import type { ChangeFeed, Changes } from '../core/store.ts';
import type { Moment, Storage } from './storage.ts';

/** The changes to notes for those who follow them. A cursor is a moment of the storage. */
export class StorageChangeFeed implements ChangeFeed {
  readonly #storage: Pick<Storage, 'readMoment' | 'readChanges' | 'waitForChanges'>;

  constructor(storage: Pick<Storage, 'readMoment' | 'readChanges' | 'waitForChanges'>) {
    this.#storage = storage;
  }

  cursor(): Moment | Promise<Moment> {
    return this.#storage.readMoment();
  }

  async changesAfter(cursor: Moment): Promise<Changes | undefined> {
    const { changes, moment } = await this.#storage.readChanges(cursor);
    if (changes === undefined) return undefined;
    const latest = new Map<number, string>();
    for (const { id, json } of changes) {
      if (json === undefined) return undefined; // another program has deleted it, which no client understands
      latest.delete(id); // a note that changed twice is reported where it changed last
      latest.set(id, json);
    }
    return { notes: [...latest.values()], cursor: moment };
  }

  changed(cursor: Moment): Promise<void> {
    return this.#storage.waitForChanges(cursor);
  }
}
