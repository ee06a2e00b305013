import { jsonOf, type Note } from '../../domain/note.ts';
import type { ChangeFeed, Changes } from '../../domain/store.ts';
import type { Entry } from '../list-cache.ts';

/** How long somebody waits for a change, in ms, before it is looked for what other programs have committed. */
const lookMs = 500;

/** Most characters of JSON of recent changes. */
const defaultMaxChars = 16 * 1024 * 1024;

/**
 * The notes that were written of late, each as a write left it. A cursor is the name of this process, a number that rises
 * when something was written that is not known note by note, and how many changes there were.
 */
export class RecentChanges implements ChangeFeed {
  readonly #look: () => Promise<unknown>;
  readonly #maxChars: number;
  readonly #session = crypto.randomUUID().slice(0, 8);
  #epoch = 0;
  #entries: Entry[] = [];
  /** How many changes of this epoch are not held any more, the first `#start` entries not counted. */
  #dropped = 0;
  #start = 0;
  #chars = 0;
  #cursor: string | undefined;
  readonly #waiting = new Set<() => void>();

  /** `look` resolves when what other programs have committed is noticed. */
  constructor(look: () => Promise<unknown>, maxChars = defaultMaxChars) {
    this.#look = look;
    this.#maxChars = maxChars;
  }

  cursor(): string {
    this.#cursor ??= `${this.#prefix}${this.#dropped + this.#entries.length}`;
    return this.#cursor;
  }

  changesAfter(cursor: string): Changes | undefined {
    if (!cursor.startsWith(this.#prefix)) return undefined;
    const from = Number(cursor.slice(this.#prefix.length)) - this.#dropped;
    if (!(Number.isInteger(from) && from >= this.#start && from <= this.#entries.length)) return undefined;
    const last = new Map<number, string>();
    for (const { id, json } of this.#entries.slice(from)) {
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
    for (const note of notes) {
      const json = jsonOf(note);
      this.#entries.push({ id: note.id, json });
      this.#chars += json.length;
    }
    while (this.#chars > this.#maxChars) this.#chars -= this.#entries[this.#start++]?.json.length ?? 0;
    if (this.#start > this.#entries.length / 2) this.#drop();
    if (notes.length > 0) this.#wake();
  }

  /** Something was written that is not known note by note. */
  forget(): void {
    this.#epoch++;
    this.#start = this.#entries.length;
    this.#chars = 0;
    this.#drop();
    this.#wake();
  }

  get #prefix(): string {
    return `${this.#session}.${this.#epoch}.`;
  }

  #drop(): void {
    this.#entries = this.#entries.slice(this.#start);
    this.#dropped += this.#start;
    this.#start = 0;
  }

  #wake(): void {
    this.#cursor = undefined;
    for (const resolve of this.#waiting) resolve();
  }
}
