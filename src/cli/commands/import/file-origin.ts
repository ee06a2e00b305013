import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { originKey } from '../../../formats/origin.ts';

/** Identifies files by real path, or in an Obsidian vault, which may be moved, by its name and the path in it. */
export class FileOrigins {
  readonly #vaults = new Map<string, string | undefined>();

  of(path: string): string | undefined {
    const vault = this.#vaultOf(dirname(path));
    if (vault === undefined) return originKey('file', path);
    return originKey('obsidian', [basename(vault), ...relative(vault, path).split(sep)].join('/'));
  }

  #vaultOf(folder: string): string | undefined {
    if (this.#vaults.has(folder)) return this.#vaults.get(folder);
    const above = dirname(folder);
    const isVault = existsSync(join(folder, '.obsidian'));
    const vault = isVault ? folder : above === folder ? undefined : this.#vaultOf(above);
    this.#vaults.set(folder, vault);
    return vault;
  }
}
