import type { Note } from '../../domain/note.ts';
import type { CommitQueue } from '../commit-queue.ts';
import type { Change } from '../engine.ts';

interface Held {
  readonly queue: CommitQueue;
  waiting: number;
}

/**
 * Queues for notes that several programs change at once. One write to such a note waits in the database for the row
 * lock, which is granted in order; the others wait in the queue. `atOnce` limits the number of queues.
 */
export class HeldNotes {
  readonly #newQueue: () => CommitQueue;
  readonly #atOnce: number;
  readonly #queues = new Map<number, Held>();

  constructor(newQueue: () => CommitQueue, atOnce: number) {
    this.#newQueue = newQueue;
    this.#atOnce = atOnce;
  }

  /** Queues a change to a note that has a queue, and returns its outcome; undefined if there is none. */
  join(change: Change): Promise<Note> | undefined {
    const held = this.#queues.get(change.id);
    return held && this.#submit(held, change);
  }

  /** Like `join`, but creates a queue for the locked note, within the limit. `since`: when it was submitted. */
  wait(change: Change, since?: number): Promise<Note> | undefined {
    let held = this.#queues.get(change.id);
    if (held === undefined) {
      if (this.#queues.size >= this.#atOnce) return undefined;
      held = { queue: this.#newQueue(), waiting: 0 };
      this.#queues.set(change.id, held);
    }
    return this.#submit(held, change, since);
  }

  /** Refuses further writes. Resolves when all accepted writes are answered. */
  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map(({ queue }) => queue.close()));
  }

  async #submit(held: Held, change: Change, since?: number): Promise<Note> {
    held.waiting++;
    try {
      return await held.queue.submit(change, since);
    } finally {
      held.waiting--;
      if (held.waiting === 0) this.#queues.delete(change.id);
    }
  }
}
