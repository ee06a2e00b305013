import { realpathSync } from 'node:fs';
import { NoteError } from '../domain/error.ts';
import { addressLeftAt, forgetAddress } from './address.ts';

/** How long a command may hold a file, in ms, before others give up; and how often they look. */
const waitMs = 5_000;
const lookMs = 50;

/** Who holds a file: nobody else any more, or a service at an address. */
type Freed<Store> = { readonly store: Store } | { readonly url: string; readonly refusal: NoteError };

/**
 * Opens the database file at `path` once no other command holds it, which is for a moment only. Fails as `open` does; with
 * `busy` when it takes too long.
 */
export async function whenFree<Store>(path: string, open: () => Store): Promise<Freed<Store>> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      const store = open();
      forgetAddress(realpathSync(path)); // of a service that was killed
      return { store };
    } catch (refusal) {
      if (!(refusal instanceof NoteError) || refusal.code !== 'busy') throw refusal;
      const url = addressLeftAt(realpathSync(path));
      if (url !== undefined) return { url, refusal };
      if (performance.now() > until) throw refusal;
      await Bun.sleep(lookMs);
    }
  }
}
