import { NoteError } from '../domain/error.ts';
import { serviceAt } from './address.ts';
import { type PublishedAddress, removeAddress } from './address-file.ts';

/** How long to wait for another command to release the file, and how often to check, in ms. */
const waitMs = 5_000;
const pollMs = 50;

/** The opened store, or the service that has it open. */
type Opened<Store> = { readonly store: Store } | { readonly service: PublishedAddress };

/**
 * Opens the database file at `path`, waiting for other commands, which hold it only briefly. Throws the errors of
 * `open`; `busy` on timeout.
 */
export async function openOrFindService<Store>(
  path: string,
  open: () => Store | Promise<Store>,
): Promise<Opened<Store>> {
  for (const until = performance.now() + waitMs; ; ) {
    try {
      const store = await open();
      removeAddress(path); // left by a killed service
      return { store };
    } catch (refusal) {
      if (!(refusal instanceof NoteError) || refusal.code !== 'busy') throw refusal;
      const service = await serviceAt(path);
      if (service !== undefined) return { service };
      if (performance.now() > until) throw refusal;
      await Bun.sleep(pollMs);
    }
  }
}

/** Like `openOrFindService`, but throws `busy` if a service has the file open. */
export async function openExclusive<Store>(path: string, open: () => Store | Promise<Store>): Promise<Store> {
  const opened = await openOrFindService(path, open);
  if ('store' in opened) return opened.store;
  throw new NoteError('busy', `${path} is in use by the service at ${opened.service.url}. Stop it first`);
}
