import type { NoteChange } from '../note-change.ts';
import type { ChangeCursor, ChangesSince } from '../note-storage.ts';

/** How long to wait for a change before looking for commits of other programs, in ms. */
const pollIntervalMs = 500;

/** Approximate limit of the memory for changes, in characters. */
const maxChars = 8 * 1024 * 1024;

/** Estimated memory of a change besides its JSON, in characters. */
const charsPerChange = 200;

/**
 * The recent changes to a database that usually only this process writes to, in memory. A cursor is a
 * text that stands for a point in this sequence: an id of this process, and the number of changes before that point.
 *
 * Example: after three changes the cursor is `1f2e3d4c.3`. With two more, the changes since then are the fourth and the
 * fifth, and the cursor is `1f2e3d4c.5`. If the oldest four have been dropped to save memory, the changes since
 * `1f2e3d4c.3` are unknown, and those since `1f2e3d4c.4` are the fifth.
 */
export class ChangeLog {
  readonly #session = `${crypto.randomUUID().slice(0, 8)}.`;
  /** Oldest first. */
  readonly #changes: NoteChange[] = [];
  /** How many changes were dropped from the beginning. */
  #dropped = 0;
  #chars = 0;
  /** The result for the present cursor: no changes. */
  #nothingSince: ChangesSince = { changes: [], cursor: `${this.#session}0` };
  readonly #waiters = new Set<() => void>();

  get cursor(): ChangeCursor {
    return this.#nothingSince.cursor;
  }

  getChangesSince(since: ChangeCursor | undefined): ChangesSince {
    const { cursor } = this;
    if (since === cursor) return this.#nothingSince;
    if (since === undefined || !since.startsWith(this.#session)) return { changes: undefined, cursor };
    const start = Number(since.slice(this.#session.length)) - this.#dropped;
    const isKnown = Number.isInteger(start) && start >= 0 && start <= this.#changes.length;
    return { changes: isKnown ? this.#changes.slice(start) : undefined, cursor };
  }

  /** Appends changes that are on disk, the oldest first, and wakes those who wait. Drops old ones to save memory. */
  appendChanges(changes: readonly NoteChange[]): void {
    if (changes.length === 0) return;
    for (const change of changes) {
      this.#changes.push(change);
      this.#chars += estimateChars(change);
    }
    if (this.#chars > maxChars) this.#dropOldest();
    this.#advanceCursorAndWakeWaiters();
  }

  /** Drops an eighth at once, because to remove a few from the beginning of a long array moves all others. */
  #dropOldest(): void {
    let count = 0;
    for (; this.#chars > (maxChars / 8) * 7; count++) this.#chars -= estimateChars(this.#changes[count]);
    this.#changes.splice(0, count);
    this.#dropped += count;
  }

  /**
   * Forgets all changes, after a write that may have changed any note: what has changed since earlier cursors is
   * unknown.
   */
  invalidateAllCursors(): void {
    this.#dropped += this.#changes.length + 1;
    this.#changes.length = 0;
    this.#chars = 0;
    this.#advanceCursorAndWakeWaiters();
  }

  /** Resolves at the next change, or when it is time to look for commits of other programs. */
  async waitForPossibleChanges(since: ChangeCursor): Promise<void> {
    if (since !== this.cursor) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, pollIntervalMs);
    this.#waiters.add(resolve);
    await promise;
    this.#waiters.delete(resolve);
    clearTimeout(timer);
  }

  #advanceCursorAndWakeWaiters(): void {
    this.#nothingSince = { changes: [], cursor: `${this.#session}${this.#dropped + this.#changes.length}` };
    for (const resolve of this.#waiters) resolve();
  }
}

const estimateChars = (change: NoteChange | undefined): number => (change?.json?.length ?? 0) + charsPerChange;
