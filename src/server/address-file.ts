import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { plantedFault, realPathOf, trustedOwners } from '../store/sqlite/file/own-files.ts';

/** Where the service that uses the database file at `path` leaves its address, and its name, for commands on this machine. */
const addressPathOf = (path: string) => `${realPathOf(path)}.url`;

/** What a service leaves beside its database file. */
export interface LeftAddress {
  readonly url: string;
  /** The name of the service. */
  readonly instance: string;
  /** What it asks of whoever can read the file; undefined where it asks nothing. */
  readonly token: string | undefined;
}

/** Leaves the address of a service until it is disposed of. */
export function leaveAddress(path: string, { url, instance, token }: LeftAddress): Disposable {
  const file = addressPathOf(path);
  const temporary = `${file}.${process.pid}`;
  remove(temporary); // of one that was killed, and had the same number
  try {
    writeFileSync(temporary, `${[url, instance, ...(token === undefined ? [] : [token])].join('\n')}\n`, {
      mode: 0o600,
      flag: 'wx',
    });
    renameSync(temporary, file);
  } catch (error) {
    remove(temporary);
    throw error;
  }
  return { [Symbol.dispose]: () => forgetAddress(path) };
}

/** No service uses the database file. What a stranger has put there, and will not let us remove, is not believed either. */
export const forgetAddress = (path: string): void => remove(addressPathOf(path));

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/** What a service has left beside the database file, whether it is still there or not. */
export function addressLeftAt(path: string): LeftAddress | undefined {
  const [, url, instance, token] = leftText.exec(shortTextIn(addressPathOf(path), trustedOwners(path))) ?? [];
  return url === undefined || instance === undefined ? undefined : { url, instance, token };
}

const leftText = /^(http:\/\/[\w.:[\]-]+)\n([\w-]+)\n(?:([\w-]+)\n)?$/;
const maxBytes = 300;

/** Anybody who may write to the folder may put there what they like: nothing is waited for, and no stranger believed. */
function shortTextIn(file: string, owners: readonly number[]): string {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const bytes = Buffer.alloc(maxBytes);
      return plantedFault(fstatSync(fd), owners) ? '' : bytes.toString('utf8', 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
