import type { Note } from '../domain/note.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Write } from './engine.ts';

type Change = Extract<Write, { kind: 'change' }>;

interface Held {
  readonly queue: CommitQueue;
  waiting: number;
}

/**
 * Notes that others change at the same moment, each with a queue of its own while writes to it wait: one of them waits in the
 * database for its turn, in which all programs stand in line. `atOnce` bounds how many notes are waited for so.
 */
export class HeldNotes {
  readonly #newQueue: () => CommitQueue;
  readonly #atOnce: number;
  readonly #queues = new Map<number, Held>();

  constructor(newQueue: () => CommitQueue, atOnce: number) {
    this.#newQueue = newQueue;
    this.#atOnce = atOnce;
  }

  /** The outcome of a change that waits for its note; undefined where that is not held, or too many are waited for. */
  join(change: Change): Promise<Note> | undefined {
    const held = this.#queues.get(change.id);
    return held && this.#submit(held, change);
  }

  /** As `join`, for a note that was found to be held; the change was submitted at `since`. */
  wait(change: Change, since?: number): Promise<Note> | undefined {
    let held = this.#queues.get(change.id);
    if (held === undefined) {
      if (this.#queues.size >= this.#atOnce) return undefined;
      held = { queue: this.#newQueue(), waiting: 0 };
      this.#queues.set(change.id, held);
    }
    return this.#submit(held, change, since);
  }

  /** Refuses further writes; resolves when those accepted before are answered. */
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
