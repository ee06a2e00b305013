/** For how long a note counts as contested after it was changed between a read and a write, in ms. */
const contestedMs = 1_000;

/** Notes that several instances write at the same time, so that a write without a lock would likely fail. */
export class ContestedNotes {
  /** Until when, by `performance.now()`. The note that was added first is the first. */
  readonly #until = new Map<number, number>();

  add(ids: readonly number[], now = performance.now()): void {
    for (const id of ids) {
      this.#until.delete(id);
      this.#until.set(id, now + contestedMs);
    }
    for (const [id, until] of this.#until) {
      if (until > now) return;
      this.#until.delete(id);
    }
  }

  has(id: number, now = performance.now()): boolean {
    return (this.#until.get(id) ?? Number.NEGATIVE_INFINITY) > now;
  }
}
