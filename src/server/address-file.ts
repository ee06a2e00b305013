import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { replaceFile } from '../shared/replace-file.ts';
import { plantedFault, realPathOf, trustedOwners } from '../store/sqlite/file/own-files.ts';

/** The file beside the database in which its service publishes address and name for local commands. */
const addressPathOf = (path: string) => `${realPathOf(path)}.url`;

/** The address that a service publishes beside its database file. */
export interface PublishedAddress {
  readonly url: string;
  /** The name of the service. */
  readonly instance: string;
  /** The token for local commands; undefined if the service requires none. */
  readonly token: string | undefined;
}

/** Publishes the address of a service until disposed. */
export function publishAddress(path: string, { url, instance, token }: PublishedAddress): Disposable {
  replaceFile(addressPathOf(path), `${[url, instance, ...(token === undefined ? [] : [token])].join('\n')}\n`);
  return { [Symbol.dispose]: () => removeAddress(path) };
}

/** Removes the address of a service that has ended. A file that cannot be removed is not trusted either. */
export function removeAddress(path: string): void {
  try {
    rmSync(addressPathOf(path), { force: true });
  } catch {}
}

/** Reads the published address; its service may have ended. */
export function publishedAddressOf(path: string): PublishedAddress | undefined {
  const [, url, instance, token] = addressPattern.exec(addressTextOf(path)) ?? [];
  return url === undefined || instance === undefined ? undefined : { url, instance, token };
}

const addressPattern = /^(http:\/\/[\w.:[\]-]+)\n([\w-]+)\n(?:([\w-]+)\n)?$/;
const maxBytes = 300;

/** Reads the file without blocking, and only a trusted owner's: anyone who can write to the folder could plant one. */
function addressTextOf(path: string): string {
  try {
    const owners = trustedOwners(path);
    const fd = openSync(addressPathOf(path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
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
