import { lookup } from 'node:dns/promises';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { instanceHeader } from '../http/headers.ts';

/** Where the service that uses the database file at `path` leaves its address, and its name, for commands on this machine. */
const addressPathOf = (path: string) => `${realPathOf(path)}.url`;

/** Whatever links lead to it. A file that is not there yet has none. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Leaves the address of a service, and its name, beside its database file, until it is disposed of. */
export function leaveAddress(path: string, url: string, instance: string): Disposable {
  const file = addressPathOf(path);
  const temporary = `${file}.${process.pid}`;
  rmSync(temporary, { force: true }); // of one that was killed, and had the same number
  writeFileSync(temporary, `${url}\n${instance}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
  return { [Symbol.dispose]: () => forgetAddress(path) };
}

/** No service uses the database file. */
export const forgetAddress = (path: string): void => rmSync(addressPathOf(path), { force: true });

/** What a service has left beside the database file, whether it is still there or not. */
export function addressLeftAt(path: string): { readonly url: string; readonly instance: string } | undefined {
  const [, url, instance] = leftText.exec(shortTextIn(addressPathOf(path))) ?? [];
  return url === undefined || instance === undefined ? undefined : { url, instance };
}

const leftText = /^(http:\/\/[\w.:[\]-]+)\n([\w-]+)\n$/;
const mostBytes = 300;

/** Anybody who may write to the folder may put there what they like: nothing is waited for, and no link followed. */
function shortTextIn(file: string): string {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(mostBytes);
      return fstatSync(fd).isFile() ? bytes.toString('utf8', 0, readSync(fd, bytes)) : '';
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

/** How long a service may take to say its name, in ms. */
const askMs = 2_000;

/**
 * The address of the service that uses the database file. What was left by a service that was killed is not
 * believed: another one may listen there by now, with other notes.
 */
export async function serviceAt(path: string): Promise<string | undefined> {
  const left = addressLeftAt(path);
  if (left === undefined) return undefined;
  try {
    const answer = await fetch(`${left.url}/healthz`, { redirect: 'error', signal: AbortSignal.timeout(askMs) });
    return answer.headers.get(instanceHeader) === left.instance ? left.url : undefined;
  } catch {
    return undefined;
  }
}

/** Where a service that listens at `host` and `port` is reached from its own machine: by address, since names may be refused. */
export async function reachable(host: string, port: number): Promise<string> {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? (await addressOf(host));
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** What a host name stands for on this machine; the name itself when it stands for nothing. */
export async function addressOf(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch {
    return host;
  }
}
