import { NoteError } from '../domain/error.ts';
import { serviceAt } from './address.ts';
import { forgetAddress, type LeftAddress } from './address-file.ts';

/** How long a command may hold a file, in ms, before others give up; and how often they look. */
const waitMs = 5_000;
const lookMs = 50;

/** A file that was opened, or where the service is that has it open. */
type Opened<Store> = { readonly store: Store } | { readonly service: LeftAddress };

/**
 * Opens the database file at `path` once no other command holds it, which is for a moment only. Fails as `open` does; with
 * `busy` when it takes too long.
 */
export async function openOrFindService<Store>(
  path: string,
  open: () => Store | Promise<Store>,
): Promise<Opened<Store>> {
  for (const until = performance.now() + waitMs; ; ) {
    try {
      const store = await open();
      forgetAddress(path); // of a service that was killed
      return { store };
    } catch (refusal) {
      if (!(refusal instanceof NoteError) || refusal.code !== 'busy') throw refusal;
      const service = await serviceAt(path);
      if (service !== undefined) return { service };
      if (performance.now() > until) throw refusal;
      await Bun.sleep(lookMs);
    }
  }
}

/** As `openOrFindService`, for what a service must not have open: throws `busy` then, too. */
export async function openExclusive<Store>(path: string, open: () => Store | Promise<Store>): Promise<Store> {
  const opened = await openOrFindService(path, open);
  if ('store' in opened) return opened.store;
  throw new NoteError('busy', `${path} is in use by the service at ${opened.service.url}. Stop it first`);
}
