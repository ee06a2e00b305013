import { NoteError } from '../domain/error.ts';
import * as message from '../domain/message.ts';

/** A place that somebody has. */
export interface Slot {
  free(): void;
}

/** A number of places; who finds none waits in line, and fails with `busy` after `waitMs`. */
export class Slots {
  readonly #most: number;
  readonly #waitMs: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(most: number, waitMs: number) {
    this.#most = most;
    this.#waitMs = waitMs;
  }

  get taken(): number {
    return this.#taken;
  }

  async take(): Promise<Slot> {
    if (this.#taken < this.#most) this.#taken++;
    else await this.#turn();
    let isFree = false;
    return {
      free: () => {
        if (isFree) return;
        isFree = true;
        this.#handOn();
      },
    };
  }

  /** Whoever waits longest takes the place as it is. */
  #handOn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken--;
  }

  #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const admit = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(admit), 1);
      reject(new NoteError('busy', message.busy));
    }, this.#waitMs);
    this.#waiting.push(admit);
    return promise;
  }
}
