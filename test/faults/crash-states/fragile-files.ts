/** A model of files on disk: synced changes are there, others may be, in part and in any order. */
import { dirname } from 'node:path';
import type { Operation } from './recording.ts';

/** A change not yet synced: to the bytes of a file, or to a directory entry. */
export type Change = Write | Resize | Renaming;

interface Write {
  readonly kind: 'write';
  readonly at: number;
  readonly file: StoredFile;
  readonly offset: number;
  readonly data: Uint8Array;
}

interface Resize {
  readonly kind: 'resize';
  readonly at: number;
  readonly file: StoredFile;
  readonly size: number;
}

interface Renaming {
  readonly kind: 'name';
  readonly at: number;
  readonly path: string;
  readonly file: StoredFile | undefined;
  /** The change of the new name: a file does not lose its old name before it. */
  readonly after?: Renaming | undefined;
  isDurable: boolean;
}

/** The indexes of the sectors of a write that are on disk. */
export interface Torn {
  readonly sector: number;
  readonly keeps: (index: number) => boolean;
}

/** The fate of a change; `size`: of a write, only the new file size is on disk. */
export type Fate = 'kept' | 'dropped' | 'size' | Torn;
export type Fates = (change: Change) => Fate;

export const allKept: Fates = () => 'kept';

/** The bytes of a file, with zeros beyond its end. */
class Bytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  get all(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  become(other: Bytes): void {
    this.#resize(other.#size);
    this.#buffer.set(other.all);
  }

  apply(changes: readonly (Write | Resize)[], fates: Fates): void {
    for (const change of changes) {
      const fate = fates(change);
      if (fate === 'dropped') continue;
      if (change.kind === 'resize') this.#resize(change.size);
      else this.#write(change, fate);
    }
  }

  #write({ offset, data }: Write, fate: Fate): void {
    const end = offset + data.length;
    if (typeof fate === 'string') this.#resize(Math.max(this.#size, end));
    else this.#writeSectors(offset, data, fate);
    if (fate === 'kept') this.#buffer.set(data, offset);
  }

  #writeSectors(offset: number, data: Uint8Array, { sector, keeps }: Torn): void {
    for (let from = 0, index = 0; from < data.length; index++) {
      const to = Math.min(data.length, from + sector - ((offset + from) % sector));
      if (keeps(index)) {
        this.#resize(Math.max(this.#size, offset + to));
        this.#buffer.set(data.subarray(from, to), offset + from);
      }
      from = to;
    }
  }

  #resize(size: number): void {
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(2 * size);
      larger.set(this.all);
      this.#buffer = larger;
    }
    if (size < this.#size) this.#buffer.fill(0, size, this.#size);
    this.#size = size;
  }
}

class StoredFile {
  readonly pending: (Write | Resize)[] = [];
  readonly #durable = new Bytes();
  readonly #image = new Bytes();

  sync(): void {
    this.#durable.apply(this.pending.splice(0), allKept);
  }

  /** Valid until the next call or sync. */
  contents(fates: Fates): Uint8Array {
    if (this.pending.every((change) => fates(change) === 'dropped')) return this.#durable.all;
    this.#image.become(this.#durable);
    this.#image.apply(this.pending, fates);
    return this.#image.all;
  }
}

/** The durable file of a name, and the possible ones. */
interface Name {
  durable: StoredFile | undefined;
  readonly pending: Renaming[];
}

/** Replays the operations of a recording that started with an empty folder. */
export class FragileFiles {
  readonly #files = new Map<number, StoredFile>();
  readonly #names = new Map<string, Name>();
  readonly #madeFolders = new Set<string>();
  readonly #isIgnored: (path: string) => boolean;
  readonly #syncs: boolean;
  #operations = 0;

  /** Images lack the files that are `isIgnored`. Without `syncs`, syncs have no effect. */
  constructor(isIgnored: (path: string) => boolean, syncs = true) {
    this.#isIgnored = isIgnored;
    this.#syncs = syncs;
  }

  apply(operation: Operation): void {
    this.#operations++;
    const { kind, path, to, offset, data } = operation;
    if (kind === 'create') this.#create(operation);
    else if (kind === 'write') this.#change(operation, { kind, offset, data });
    else if (kind === 'resize') this.#change(operation, { kind, size: offset });
    else if (kind === 'sync' && this.#syncs) this.#fileOf(operation).sync();
    else if (kind === 'sync folder' && this.#syncs) this.#syncFolder(path);
    else if (kind === 'rename') this.#rename(path, to);
    else if (kind === 'link') this.#point(to, this.#behind(path));
    else if (kind === 'unlink') this.#point(path, undefined);
    else if (kind === 'make folder') this.#madeFolders.add(path);
  }

  /** The changes not durable yet, in order. */
  pending(): Change[] {
    const names = [...this.#shown()].map(([, name]) => name);
    const files = new Set(names.flatMap(({ durable, pending }) => [durable, ...pending.map(({ file }) => file)]));
    const changes = [...names, ...files].flatMap((part): readonly Change[] => part?.pending ?? []);
    return changes.toSorted((one, other) => one.at - other.at);
  }

  /** The files after a power cut with these fates of the pending changes; valid until the next image or operation. */
  image(fates: Fates): Map<string, Uint8Array> {
    return imageOf(this.#shown(), fates);
  }

  /** The files as programs see them, including ignored ones. */
  present(): Map<string, Uint8Array> {
    return imageOf(this.#names, allKept);
  }

  /** Skips files in folders that the program creates, until they are moved to their place. */
  *#shown(): Generator<[string, Name]> {
    for (const [path, name] of this.#names) {
      if (!this.#isIgnored(path) && !this.#madeFolders.has(dirname(path))) yield [path, name];
    }
  }

  #create({ path, inode }: Operation): void {
    const file = new StoredFile();
    this.#files.set(inode, file);
    this.#point(path, file);
  }

  #fileOf({ inode, path }: Operation): StoredFile {
    const file = this.#files.get(inode);
    if (file === undefined) throw new Error(`The origin of file ${inode} ${path} was not recorded`);
    return file;
  }

  #change(operation: Operation, change: Pick<Write, 'kind' | 'offset' | 'data'> | Pick<Resize, 'kind' | 'size'>): void {
    const file = this.#fileOf(operation);
    file.pending.push({ ...change, at: this.#operations, file });
  }

  #point(path: string, file: StoredFile | undefined, after?: Renaming): Renaming {
    const name = this.#names.get(path) ?? { durable: undefined, pending: [] };
    const change: Renaming = { kind: 'name', at: this.#operations, path, file, after, isDurable: false };
    name.pending.push(change);
    this.#names.set(path, name);
    return change;
  }

  #behind(path: string): StoredFile | undefined {
    const name = this.#names.get(path);
    return name && behind(name, allKept);
  }

  #rename(from: string, to: string): void {
    this.#point(from, undefined, this.#point(to, this.#behind(from)));
  }

  #syncFolder(folder: string): void {
    for (const [path, name] of this.#names) {
      if (dirname(path) !== (folder || '.')) continue;
      name.durable = behind(name, allKept);
      for (const change of name.pending.splice(0)) change.isDurable = true;
      if (name.durable === undefined) this.#names.delete(path);
    }
  }
}

function behind({ durable, pending }: Name, fates: Fates): StoredFile | undefined {
  const isKept = (change: Renaming | undefined) => !change || change.isDurable || fates(change) === 'kept';
  const last = pending.findLast((change) => isKept(change) && isKept(change.after));
  return last ? last.file : durable;
}

function imageOf(names: Iterable<[string, Name]>, fates: Fates): Map<string, Uint8Array> {
  const image = new Map<string, Uint8Array>();
  for (const [path, name] of names) {
    const contents = behind(name, fates)?.contents(fates);
    if (contents) image.set(path, contents);
  }
  return image;
}
