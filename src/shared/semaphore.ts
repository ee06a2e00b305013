/** The right to do one of the things that a semaphore counts. */
export interface Permit {
  /** Gives it back. Called again, it does nothing. */
  release(): void;
}

interface Limits {
  readonly max: number;
  /** How long `acquire` waits for a permit, in ms. */
  readonly waitMs: number;
  /** Makes the error that `acquire` throws after `waitMs`. */
  readonly refuse: () => Error;
}

/** A number of permits, given out in the order in which they are asked for. */
export class Semaphore {
  readonly #limits: Limits;
  readonly #waiting: (() => void)[] = [];
  #acquired = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** How many permits are held. */
  get acquired(): number {
    return this.#acquired;
  }

  async acquire(): Promise<Permit> {
    if (this.#acquired < this.#limits.max) this.#acquired++;
    else await this.#turn();
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#handOn();
      },
    };
  }

  /** The one that waits longest takes the permit as it is. */
  #handOn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#acquired--;
  }

  #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const admit = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(admit), 1);
      reject(this.#limits.refuse());
    }, this.#limits.waitMs);
    this.#waiting.push(admit);
    return promise;
  }
}
