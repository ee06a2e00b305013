/** Each network may send this many wrong tokens per window. */
const maxWrongTokens = 10;
const windowMs = 60_000;

/** At most this many networks are remembered; the one whose last wrong token is oldest is evicted. */
const maxNetworks = 10_000;

interface CountingWindow {
  count: number;
  /** The window ends at this time, in ms since 1970. */
  readonly end: number;
}

/** Counts wrong tokens by network. */
export class WrongTokenCounter {
  readonly #windows = new Map<string, CountingWindow>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Returns the seconds until an address may try again; 0 if it may do so now. */
  computeWaitSeconds(address: string): number {
    const window = this.#windows.get(toNetwork(address));
    if (window === undefined || window.count < maxWrongTokens) return 0;
    return Math.max(0, Math.ceil((window.end - this.#now()) / 1000));
  }

  /** Counts a wrong token. Returns how many there were in the window of its network. */
  incrementAndGetCount(address: string): number {
    const network = toNetwork(address);
    const now = this.#now();
    const known = this.#windows.get(network);
    const window = known && known.end > now ? known : { count: 0, end: now + windowMs };
    window.count++;
    this.#windows.delete(network);
    this.#windows.set(network, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > maxNetworks && oldest !== undefined) this.#windows.delete(oldest);
    return window.count;
  }
}

/** Returns the IPv4 address, or the first 64 bits of an IPv6 address: one client usually owns all of a /64. */
function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  return address.split('::', 1)[0]?.split(':').slice(0, 4).join(':') ?? '';
}
