import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { createOriginKey } from '../../../formats/origin.ts';

/** Identifies files by real path, or in an Obsidian vault, which may be moved, by its name and the path in it. */
export class FileOrigins {
  readonly #vaults = new Map<string, string | undefined>();

  createOrigin(path: string): string | undefined {
    const vault = this.#findVault(dirname(path));
    if (vault === undefined) return createOriginKey('file', path);
    return createOriginKey('obsidian', [basename(vault), ...relative(vault, path).split(sep)].join('/'));
  }

  #findVault(folder: string): string | undefined {
    if (this.#vaults.has(folder)) return this.#vaults.get(folder);
    const above = dirname(folder);
    const isVault = existsSync(join(folder, '.obsidian'));
    const vault = isVault ? folder : above === folder ? undefined : this.#findVault(above);
    this.#vaults.set(folder, vault);
    return vault;
  }
}
