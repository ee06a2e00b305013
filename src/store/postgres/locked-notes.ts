import type { Note } from '../../domain/note.ts';
import type { Change } from '../engine.ts';
import type { CommitQueue } from './commit-queue.ts';

interface LockedNote {
  readonly queue: CommitQueue;
  waiting: number;
}

/**
 * Queues for notes that several programs change at once. One write to such a note waits in the database for the row
 * lock, which is granted in order; the others wait in the queue. `atOnce` limits the number of queues.
 */
export class LockedNotes {
  readonly #newQueue: () => CommitQueue;
  readonly #atOnce: number;
  readonly #queues = new Map<number, LockedNote>();

  constructor(newQueue: () => CommitQueue, atOnce: number) {
    this.#newQueue = newQueue;
    this.#atOnce = atOnce;
  }

  /** Queues a change to a note that has a queue, and returns its outcome; undefined if there is none. */
  join(change: Change): Promise<Note> | undefined {
    const locked = this.#queues.get(change.id);
    return locked && this.#submit(locked, change);
  }

  /** Like `join`, but creates a queue for the locked note, within the limit. `since`: when it was submitted. */
  wait(change: Change, since?: number): Promise<Note> | undefined {
    let locked = this.#queues.get(change.id);
    if (locked === undefined) {
      if (this.#queues.size >= this.#atOnce) return undefined;
      locked = { queue: this.#newQueue(), waiting: 0 };
      this.#queues.set(change.id, locked);
    }
    return this.#submit(locked, change, since);
  }

  /** Refuses further writes. Resolves when all accepted writes are answered. */
  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map(({ queue }) => queue.close()));
  }

  async #submit(locked: LockedNote, change: Change, since?: number): Promise<Note> {
    locked.waiting++;
    try {
      return await locked.queue.submit(change, since);
    } finally {
      locked.waiting--;
      if (locked.waiting === 0) this.#queues.delete(change.id);
    }
  }
}
