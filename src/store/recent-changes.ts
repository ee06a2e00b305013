import type { Note } from '../core/note.ts';
import type { ChangeFeed, Changes } from '../core/store.ts';
import { jsonOf } from '../core/tools/json.ts';
import type { NoteJson } from './row.ts';

/** How long to wait for a change before checking for commits of other programs, in ms. */
const pollMs = 500;

const maxChars = 8 * 1024 * 1024;

/** Estimated memory of an item besides its JSON, in characters. */
const itemChars = 200;

/** A log of recent items, oldest first, of about `maxChars` characters. A moment is the number of items before it. */
class Recent {
  readonly #items: NoteJson[] = [];
  #dropped = 0;
  #chars = 0;

  get moment(): number {
    return this.#dropped + this.#items.length;
  }

  add(item: NoteJson): void {
    this.#items.push(item);
    this.#chars += item.json.length + itemChars;
    while (this.#chars > maxChars) {
      this.#chars -= (this.#items.shift()?.json.length ?? 0) + itemChars;
      this.#dropped++;
    }
  }

  /** Returns the items after a moment; undefined if some of them are gone or there is no such moment. */
  after(moment: number): readonly NoteJson[] | undefined {
    const isKnown = moment >= this.#dropped && moment <= this.moment;
    return isKnown ? this.#items.slice(moment - this.#dropped) : undefined;
  }

  /** Records a change that is not known in detail: invalidates all earlier moments. */
  invalidate(): void {
    this.#dropped += this.#items.length + 1;
    this.#items.length = 0;
    this.#chars = 0;
  }
}

/** Recent changes, each with the note as written. A cursor is a session id of this process and a moment. */
export class RecentChanges implements ChangeFeed {
  readonly #poll: () => Promise<unknown>;
  readonly #session = `${crypto.randomUUID().slice(0, 8)}.`;
  readonly #recent = new Recent();
  #cursor: string | undefined;
  readonly #waiting = new Set<() => void>();

  /** `poll` resolves when commits of other programs have been noticed. */
  constructor(poll: () => Promise<unknown>) {
    this.#poll = poll;
  }

  cursor(): string {
    this.#cursor ??= `${this.#session}${this.#recent.moment}`;
    return this.#cursor;
  }

  changesAfter(cursor: string): Changes | undefined {
    if (!cursor.startsWith(this.#session)) return undefined;
    const moment = Number(cursor.slice(this.#session.length));
    const entries = Number.isInteger(moment) ? this.#recent.after(moment) : undefined;
    if (entries === undefined) return undefined;
    const last = new Map<number, string>();
    for (const { id, json } of entries) {
      last.delete(id); // moves the note to the end
      last.set(id, json);
    }
    return { notes: [...last.values()], cursor: this.cursor() };
  }

  async changed(cursor: string): Promise<void> {
    if (cursor !== this.cursor()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, pollMs);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
    if (cursor === this.cursor()) await this.#poll();
  }

  add(notes: readonly Note[]): void {
    for (const note of notes) this.#recent.add({ id: note.id, json: jsonOf(note) });
    if (notes.length > 0) this.#wake();
  }

  /** Invalidates all cursors, after a write that is not known note by note. */
  invalidate(): void {
    this.#recent.invalidate();
    this.#wake();
  }

  #wake(): void {
    this.#cursor = undefined;
    for (const resolve of this.#waiting) resolve();
  }
}
