import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { tryCreateOriginKey } from '../../../formats/origin.ts';

/** Identifies files by real path, or in an Obsidian vault, which may be moved, by its name and the path in it. */
export class FileOrigins {
  readonly #vaults = new Map<string, string | undefined>();

  /** Returns the key of a file's origin. Looks for the folder `.obsidian` in the folders above it. */
  createOrigin(path: string): string | undefined {
    const vault = this.#findVault(dirname(path));
    if (vault === undefined) return tryCreateOriginKey('file', path);
    return tryCreateOriginKey('obsidian', [basename(vault), ...relative(vault, path).split(sep)].join('/'));
  }

  /** Finds the innermost vault that contains a folder; undefined if there is none. */
  #findVault(folder: string): string | undefined {
    if (this.#vaults.has(folder)) return this.#vaults.get(folder);
    const vault = existsSync(join(folder, '.obsidian')) ? folder : this.#findVaultAbove(folder);
    this.#vaults.set(folder, vault);
    return vault;
  }

  #findVaultAbove(folder: string): string | undefined {
    const above = dirname(folder);
    return above === folder ? undefined : this.#findVault(above);
  }
}
