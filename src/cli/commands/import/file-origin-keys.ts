import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { tryCreateOriginKey } from '../../../formats/origin.ts';

/** Identifies files by real path, or in an Obsidian vault, which may be moved, by its name and the path in it. */
export class FileOriginKeyFactory {
  readonly #vaults = new Map<string, string | undefined>();

  /** Returns the key of a file's origin. Looks for the folder `.obsidian` in the folders above it. */
  tryCreateKey(path: string): string | undefined {
    const vault = this.#findAndCacheVault(dirname(path));
    if (vault === undefined) return tryCreateOriginKey('file', path);
    return tryCreateOriginKey('obsidian', [basename(vault), ...relative(vault, path).split(sep)].join('/'));
  }

  /** Finds the innermost vault that contains a folder; undefined if there is none. */
  #findAndCacheVault(folder: string): string | undefined {
    if (this.#vaults.has(folder)) return this.#vaults.get(folder);
    const vault = existsSync(join(folder, '.obsidian')) ? folder : this.#findVaultAboveFolder(folder);
    this.#vaults.set(folder, vault);
    return vault;
  }

  #findVaultAboveFolder(folder: string): string | undefined {
    const above = dirname(folder);
    return above === folder ? undefined : this.#findAndCacheVault(above);
  }
}
