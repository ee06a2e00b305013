import { formatInteger, formatNoteCount } from '../../core/text/format-counts.ts';
import type { Output } from '../io.ts';

const redrawMs = 100;
/** Before this time, in ms, estimates of the rest are too unreliable to be shown. */
const minEstimateMs = 1_000;

interface Progress {
  readonly step: string;
  /** Progress in one of these units; neither if only the fraction is known. */
  readonly notes?: number | undefined;
  readonly bytes?: number | undefined;
  /** Fraction of the step that is done, from 0 to 1, if known. */
  readonly part: number | undefined;
}

/** A progress line that overwrites itself. Prints nothing without a terminal. */
export class ProgressLine implements Disposable {
  readonly #screen: Output;
  readonly #now: () => number;
  #step: string | undefined;
  /** Start of the step. The first step starts with the line, a later one at the last update of the one before. */
  #since: number;
  #shownAt: number;
  #drawnAt = Number.NEGATIVE_INFINITY;

  /** `now` is a clock in ms. */
  constructor(screen: Output, now = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
    this.#since = now();
    this.#shownAt = this.#since;
  }

  update(progress: Progress): void {
    const now = this.#now();
    if (this.#step !== progress.step) [this.#step, this.#since] = [progress.step, this.#shownAt];
    this.#shownAt = now;
    if (this.#screen.isTTY !== true || now < this.#drawnAt + redrawMs) return;
    this.#drawnAt = now;
    this.#screen.write(`\r${formatProgressParts(progress, Math.max(1, now - this.#since)).join(', ')}\x1b[K`);
  }

  /** Makes room for other output. */
  clear(): void {
    if (Number.isFinite(this.#drawnAt)) this.#screen.write('\r\x1b[K');
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

function formatProgressParts({ step, notes, bytes, part }: Progress, ms: number): readonly string[] {
  const done = part === undefined ? [] : [`${Math.floor(100 * part)} %`];
  const timeLeft = formatTimeLeftOrEmpty(part, ms);
  const rest = timeLeft === '' ? [] : [timeLeft];
  const perSecond = 1000 / ms;
  if (notes !== undefined)
    return [`${step}: ${formatNoteCount(notes)}`, ...done, `${formatInteger(notes * perSecond)} notes/s`, ...rest];
  if (bytes === undefined) return [step, ...done, ...rest];
  const megabytes = bytes / 2 ** 20;
  return [`${step}: ${megabytes.toFixed(1)} MB`, ...done, `${formatInteger(megabytes * perSecond)} MB/s`, ...rest];
}

/** Formats the time that the rest of a step will last, such as `3 min left`; empty while it is too early to tell. */
function formatTimeLeftOrEmpty(part: number | undefined, ms: number): string {
  if (part === undefined || part === 0 || ms < minEstimateMs) return '';
  const seconds = Math.ceil((ms / 1000) * (1 / part - 1));
  return seconds < 120 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`;
}
