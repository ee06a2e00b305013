import type { Output } from '../io.ts';

const redrawMs = 100;
/** What is left is not told, in ms, before it can be estimated. */
const unsureMs = 1_000;

export interface Progress {
  readonly step: string;
  /** Undefined where only the part is known. */
  readonly notes: number | undefined;
  /** How much of the step is done, from 0 to 1, where that is known. */
  readonly part: number | undefined;
}

/** One line that tells how far something is, drawn over itself; nothing where nobody watches. */
export class ProgressLine implements Disposable {
  readonly #screen: Output;
  #step: string | undefined;
  #since = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(screen: Output) {
    this.#screen = screen;
  }

  show({ step, notes, part }: Progress): void {
    const now = performance.now();
    if (step !== this.#step) [this.#step, this.#since] = [step, now];
    if (this.#screen.isTTY !== true || now < this.#drawnAt + redrawMs) return;
    this.#drawnAt = now;
    const ms = now - this.#since;
    const rate = (1000 * (notes ?? 0)) / Math.max(1, ms);
    const facts =
      notes === undefined
        ? [step, ...done(part)]
        : [`${step}: ${counted(notes)}`, ...done(part), `${count(rate)} notes/s`];
    this.#screen.write(`\r${[...facts, ...left(part, ms)].join(', ')}\x1b[K`);
  }

  /** Makes room for what is told next. */
  clear(): void {
    if (Number.isFinite(this.#drawnAt)) this.#screen.write('\r\x1b[K');
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

const done = (part: number | undefined) => (part === undefined ? [] : [`${Math.floor(100 * part)} %`]);

function left(part: number | undefined, ms: number): readonly string[] {
  if (part === undefined || part === 0 || ms < unsureMs) return [];
  const seconds = Math.ceil((ms / 1000) * (1 / part - 1));
  return [`${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`];
}

export const count = (number: number) => Math.round(number).toLocaleString('en-US');

export const counted = (notes: number) => (notes === 1 ? '1 note' : `${count(notes)} notes`);
