import type { Note, NoteDraft, NoteFilter, NotePatch } from '../../domain/note.ts';
import type { IfMatch } from '../../domain/store.ts';
import type { CommitObserver, Outcome, Write } from '../engine.ts';
import { maxRead, type VersionsRange } from '../history.ts';
import { CommitQueue, type QueueLimits } from './commit-queue.ts';

/** The part of an engine that the commit queue uses. */
export interface WriteEngine {
  /**
   * Applies the writes in order in one durable transaction and resolves with their outcomes. May return those of a
   * non-empty prefix only; the rest is submitted again. A promise as outcome means that the write had no effect here
   * and another transaction will commit it. A rejection fails all writes; a `NoteError` with the code `busy` promises
   * that none took effect.
   * @param since When each write was submitted, by `performance.now()`.
   */
  commit(writes: readonly Write[], since: readonly number[]): Promise<readonly (Outcome | Promise<Note>)[]>;
}

const max = Number.MAX_SAFE_INTEGER;

/** Common parts of both engines: a queue for writes, and lists collected from scans. */
export abstract class QueuedEngine {
  protected readonly queue: CommitQueue;

  constructor(onCommit: CommitObserver, limits: Partial<QueueLimits>) {
    this.queue = new CommitQueue({ commit: (writes, since) => this.commit(writes, since) }, onCommit, limits);
  }

  /** See `WriteEngine`. */
  protected abstract commit(...args: Parameters<WriteEngine['commit']>): ReturnType<WriteEngine['commit']>;

  /** Resolves with the note once the write is durable. */
  protected submit(write: Write): Promise<Note> {
    return this.queue.submit(write);
  }

  /** Reads the first versions of a range, at least one if there is any. */
  protected abstract versions(range: VersionsRange): Promise<readonly Note[]>;

  abstract get(id: number): Promise<Note>;

  abstract scan(filter?: NoteFilter): AsyncGenerator<readonly Note[], void, void>;

  create(draft: NoteDraft): Promise<Note> {
    return this.submit({ kind: 'create', draft });
  }

  update(id: number, patch: NotePatch, ifMatch?: IfMatch): Promise<Note> {
    return this.submit({ kind: 'change', id, change: patch, ...(ifMatch && { ifMatch }) });
  }

  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    return this.submit({ kind: 'change', id, change: { archived }, ...(ifMatch && { ifMatch }) });
  }

  async *history(id: number, limit?: number): AsyncGenerator<readonly Note[], void, void> {
    let hasVersions = false;
    for await (const some of this.#versionsOf(id, limit)) {
      hasVersions = true;
      yield some;
    }
    if (!hasVersions) await this.get(id); // throws if there is no such note
  }

  scanVersions(): AsyncGenerator<readonly Note[], void, void> {
    return this.#versionsOf();
  }

  /** Yields versions of one note, or of all, in batches. Versions never change, so that no snapshot is needed. */
  async *#versionsOf(id?: number, limit = max): AsyncGenerator<readonly Note[], void, void> {
    let end = { id: id ?? max, updatedAt: max };
    for (let left = limit; left > 0; ) {
      const some = await this.versions({ end, lowestId: id ?? 1, limit: Math.min(left, maxRead) });
      const last = some.at(-1);
      if (last === undefined) return;
      yield some;
      end = { id: last.id, updatedAt: Date.parse(last.updatedAt) };
      left -= some.length;
    }
  }

  async list(filter: NoteFilter = {}): Promise<Note[]> {
    const notes: Note[] = [];
    for await (const some of this.scan(filter)) notes.push(...some);
    return notes;
  }
}
