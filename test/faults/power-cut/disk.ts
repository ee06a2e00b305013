/** A model of a disk: what is synced is there; of the rest, anything may be, in any order and in part. */
import { folderItself, type Operation } from './recording.ts';

/** A change that is not synced: of the bytes of a file, or of what is behind a name. */
export type Change = { readonly at: number } & (
  | { readonly kind: 'write'; readonly offset: number; readonly data: Uint8Array }
  | { readonly kind: 'resize'; readonly size: number }
  | { readonly kind: 'name'; readonly file: StoredFile | undefined }
);

/** What is on disk of a change: sectors by their index; `grows`: the size of a file, too. */
export interface Fate {
  readonly keeps: (sector: number) => boolean;
  readonly grows: boolean;
}
export type Fates = (change: Change) => Fate;

export const kept: Fate = { keeps: () => true, grows: true };
export const dropped: Fate = { keeps: () => false, grows: false };
const lost: Fate = { keeps: () => false, grows: true };
const sectorBytes = 512;

/** The bytes of a file, with zeros beyond its end. */
class FileBytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  get allBytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  copyFrom(other: FileBytes): void {
    this.#resize(0);
    this.#resize(other.#size);
    this.#buffer.set(other.allBytes);
  }

  apply(change: Change, { keeps, grows }: Fate): void {
    if (change.kind === 'resize' && keeps(0)) this.#resize(change.size);
    if (change.kind !== 'write') return;
    const { offset, data } = change;
    if (grows) this.#resize(Math.max(this.#size, offset + data.length));
    for (let from = 0, sector = 0; from < data.length; sector++) {
      const to = Math.min(data.length, from + sectorBytes - ((offset + from) % sectorBytes));
      if (keeps(sector)) {
        this.#resize(Math.max(this.#size, offset + to));
        this.#buffer.set(data.subarray(from, to), offset + from);
      }
      from = to;
    }
  }

  #resize(size: number): void {
    if (size > this.#buffer.length) this.#buffer = Buffer.concat([this.allBytes], 2 * size);
    if (size < this.#size) this.#buffer.fill(0, size, this.#size);
    this.#size = size;
  }
}

class StoredFile {
  pending: Change[] = [];
  readonly #durable = new FileBytes();
  readonly #image = new FileBytes();

  /** What is pending since before `began` has its fate: it is on disk, or lost by a sync that failed. */
  sync(began: number, fate: Fate): void {
    for (const change of this.pending) if (change.at < began) this.#durable.apply(change, fate);
    this.pending = this.pending.filter(({ at }) => at >= began);
  }

  /** Valid until the next call. */
  getContentsAfterPowerCut(fates: Fates): Uint8Array {
    this.#image.copyFrom(this.#durable);
    for (const change of this.pending) this.#image.apply(change, fates(change));
    return this.#image.allBytes;
  }
}

/** The file that is behind a name on disk, and changes of that. */
interface Name {
  durable: StoredFile | undefined;
  pending: Extract<Change, { kind: 'name' }>[];
}

/** A folder that was empty. */
export class Disk {
  readonly #names = new Map<string, Name>();
  #operations = 0;

  apply(operation: Operation): void {
    const at = this.#operations++;
    if (operation.kind === 'mark') return;
    const { kind, name } = operation;
    if (kind === 'create' && !this.#findFile(name)) this.#setNameTarget(name, at, new StoredFile());
    else if (kind === 'unlink') this.#setNameTarget(name, at, undefined);
    else if (kind === 'sync' && name === folderItself) this.#syncNames(operation.began);
    else if (kind === 'sync') this.#findFile(name)?.sync(operation.began, kept);
    else if (kind === 'failed sync') this.#findFile(name)?.sync(operation.began, lost);
    else if (kind === 'write' || kind === 'resize') this.#findFile(name)?.pending.push({ ...operation, at });
  }

  /** In order. */
  pending(): Change[] {
    const files = [...this.#names.values()].flatMap(({ durable, pending }) => [
      durable,
      ...pending.map(({ file }) => file),
    ]);
    const changes = [...new Set(files)].flatMap((file) => file?.pending ?? []);
    const ofNames = [...this.#names.values()].flatMap(({ pending }): readonly Change[] => pending);
    return [...changes, ...ofNames].toSorted((one, other) => one.at - other.at);
  }

  /** The files after a power cut, valid until the next image. */
  image(fates: Fates): Map<string, Uint8Array> {
    const image = new Map<string, Uint8Array>();
    for (const [name, { durable, pending }] of this.#names) {
      const last = pending.findLast((change) => fates(change).keeps(0));
      const file = last ? last.file : durable;
      if (file) image.set(name, file.getContentsAfterPowerCut(fates));
    }
    return image;
  }

  #setNameTarget(name: string, at: number, file: StoredFile | undefined): void {
    const { pending } = this.#names.getOrInsertComputed(name, () => ({ durable: undefined, pending: [] }));
    pending.push({ kind: 'name', at, file });
  }

  #findFile(name: string): StoredFile | undefined {
    const found = this.#names.get(name);
    const last = found?.pending.at(-1);
    return last ? last.file : found?.durable;
  }

  #syncNames(began: number): void {
    for (const name of this.#names.values()) {
      const last = name.pending.findLast(({ at }) => at < began);
      if (last) name.durable = last.file;
      name.pending = name.pending.filter(({ at }) => at >= began);
    }
  }
}
