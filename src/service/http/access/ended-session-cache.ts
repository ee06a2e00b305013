import type { EndedSessionStore } from '../../../core/store.ts';

/** For this long, in ms, an instance relies on what the database said about a session. */
const maxStateAgeMs = 1_000;

/** At most this many sessions are remembered; the one that was asked about longest ago is evicted. */
const maxRemembered = 10_000;

interface KnownState {
  /**
   * The database was asked at this time, by the clock of the instance. It is infinite for an ended session, which is
   * never asked about again.
   */
  readonly askedAt: number;
  readonly isEnded: Promise<boolean>;
}

/**
 * Records which sessions were ended before their time. The database has them, so that they stay ended after a restart
 * and at other instances; it is asked about a session at most once a second, as a page sends many requests at once. An
 * end at this instance counts at once, and one at another instance after a second. Nothing is assumed about a session
 * while the database cannot be asked: `isSignInSessionEnded` rejects.
 */
export class EndedSessionCache {
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
    this.#rememberStateAndEvictOldest(id, { askedAt: Number.POSITIVE_INFINITY, isEnded: Promise.resolve(true) });
  }

  isSignInSessionEnded(id: string): Promise<boolean> {
    const known = this.#knownStates.get(id);
    if (known !== undefined && this.#now() - known.askedAt < maxStateAgeMs) return known.isEnded;
    const state = { askedAt: this.#now(), isEnded: this.#store.isSignInSessionEnded(id) };
    this.#rememberStateAndEvictOldest(id, state);
    state.isEnded.catch(() => {
      if (this.#knownStates.get(id) === state) this.#knownStates.delete(id); // the next request asks again
    });
    return state.isEnded;
  }

  #rememberStateAndEvictOldest(id: string, state: KnownState): void {
    this.#knownStates.delete(id);
    this.#knownStates.set(id, state);
    const [oldest] = this.#knownStates.keys();
    if (this.#knownStates.size > maxRemembered && oldest !== undefined) this.#knownStates.delete(oldest);
  }
}
