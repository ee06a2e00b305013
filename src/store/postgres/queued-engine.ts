import type { Note, NoteDraft, NoteFilter, NotePatch } from '../../domain/note.ts';
import type { IfMatch } from '../../domain/store.ts';
import type { CommitObserver, Write } from '../engine.ts';
import { type VersionsRange, versionsInBatches, versionsOfNote } from '../history.ts';
import { CommitQueue, type QueueLimits, type WriteEngine } from './commit-queue.ts';

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

  history(id: number, limit?: number): AsyncGenerator<readonly Note[], void, void> {
    return versionsOfNote(this.#versionsOf(id, limit), () => this.get(id));
  }

  scanVersions(): AsyncGenerator<readonly Note[], void, void> {
    return this.#versionsOf();
  }

  #versionsOf(id?: number, limit?: number): AsyncGenerator<readonly Note[], void, void> {
    return versionsInBatches((range) => this.versions(range), id, limit);
  }

  async list(filter: NoteFilter = {}): Promise<Note[]> {
    const notes: Note[] = [];
    for await (const some of this.scan(filter)) notes.push(...some);
    return notes;
  }
}
