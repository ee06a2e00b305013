import type { EndedSessionStore } from '../../../core/store.ts';

/** How long it counts that a session was not ended when the database was asked, in ms. */
const maxStateAgeMs = 1_000;

/** Limit of remembered sessions; the one that was asked about longest ago is evicted. */
const maxRemembered = 10_000;

interface KnownState {
  /** By the clock of the instance; infinite if there is nothing to ask any more. */
  readonly askedAt: number;
  readonly isEnded: Promise<boolean>;
}

/**
 * The sessions that were ended before their time. The database has them, so that they stay ended after a restart and at
 * other instances; it is asked about a session at most once a second, as a page sends many requests at once. An end at
 * this instance counts at once, and one at another instance after a second. Nothing is assumed about a session while
 * the database cannot be asked: `isSessionEnded` rejects.
 */
export class EndedSessions {
  readonly #store: EndedSessionStore;
  readonly #now: () => number;
  readonly #knownStates = new Map<string, KnownState>();

  constructor(store: EndedSessionStore, now: () => number = performance.now.bind(performance)) {
    this.#store = store;
    this.#now = now;
  }

  /** Ends a session for good. `endsAt` is when it would end by itself, in ms since 1970. */
  async endSession(id: string, endsAt: number): Promise<void> {
    await this.#store.endSession(id, endsAt);
    this.#rememberState(id, { askedAt: Number.POSITIVE_INFINITY, isEnded: Promise.resolve(true) });
  }

  isSessionEnded(id: string): Promise<boolean> {
    const known = this.#knownStates.get(id);
    if (known !== undefined && this.#now() - known.askedAt < maxStateAgeMs) return known.isEnded;
    const state = { askedAt: this.#now(), isEnded: this.#store.isSessionEnded(id) };
    this.#rememberState(id, state);
    state.isEnded.catch(() => {
      if (this.#knownStates.get(id) === state) this.#knownStates.delete(id); // the next request asks again
    });
    return state.isEnded;
  }

  #rememberState(id: string, state: KnownState): void {
    this.#knownStates.delete(id);
    this.#knownStates.set(id, state);
    const [oldest] = this.#knownStates.keys();
    if (this.#knownStates.size > maxRemembered && oldest !== undefined) this.#knownStates.delete(oldest);
  }
}
