import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Where the service that uses the database file at `path` leaves its address for commands on this machine. */
const addressPathOf = (path: string) => `${path}.url`;

/** Leaves the address of a service beside its database file, at its real path, until it is disposed of. */
export function leaveAddress(path: string, url: URL): Disposable {
  const file = addressPathOf(path);
  const temporary = `${file}.${process.pid}`;
  rmSync(temporary, { force: true }); // of one that was killed, and had the same number
  writeFileSync(temporary, `${reachable(url)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
  return { [Symbol.dispose]: () => forgetAddress(path) };
}

/** No service uses the database file at its real path. */
export const forgetAddress = (path: string): void => rmSync(addressPathOf(path), { force: true });

/** The address that was left for the database file at its real path; it may be of a service that was killed. */
export function addressLeftAt(path: string): string | undefined {
  try {
    return readFileSync(addressPathOf(path), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Who listens at all addresses is reached at the loopback one. */
function reachable({ hostname, port }: URL): string {
  const host = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname] ?? hostname;
  return `http://${host}:${port}`;
}
