import { jsonOf, type Note } from '../../domain/note.ts';
import type { ChangeFeed, Changes } from '../../domain/store.ts';
import { Recent } from '../recent.ts';
import type { Entry } from '../segments.ts';

/** How long somebody waits for a change, in ms, before it is looked for what other programs have committed. */
const lookMs = 500;

/** Most characters of JSON of recent changes. */
const maxChars = 8 * 1024 * 1024;

/** The notes that were written of late, each as a write left it. A cursor is the name of this process, and a moment of it. */
export class RecentChanges implements ChangeFeed {
  readonly #look: () => Promise<unknown>;
  readonly #session = `${crypto.randomUUID().slice(0, 8)}.`;
  readonly #recent: Recent<Entry>;
  #cursor: string | undefined;
  readonly #waiting = new Set<() => void>();

  /** `look` resolves when what other programs have committed is noticed. */
  constructor(look: () => Promise<unknown>) {
    this.#look = look;
    this.#recent = new Recent({ chars: maxChars, count: Number.POSITIVE_INFINITY });
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
      last.delete(id); // so that it comes to the end
      last.set(id, json);
    }
    return { notes: [...last.values()], cursor: this.cursor() };
  }

  async changed(cursor: string): Promise<void> {
    if (cursor !== this.cursor()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, lookMs);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
    if (cursor === this.cursor()) await this.#look();
  }

  /** These notes count from now on. */
  add(notes: readonly Note[]): void {
    for (const note of notes) this.#recent.add({ id: note.id, json: jsonOf(note) });
    if (notes.length > 0) this.#wake();
  }

  /** Something was written that is not known note by note. */
  forget(): void {
    this.#recent.forget();
    this.#wake();
  }

  #wake(): void {
    this.#cursor = undefined;
    for (const resolve of this.#waiting) resolve();
  }
}
