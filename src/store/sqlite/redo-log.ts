import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { jsonOf, type Note } from '../../domain/note.ts';
import { syncFolder } from '../sync-folder.ts';

/** Where the redo log of a database lies. */
export const redoPathOf = (database: string) => `${database}-redo`;

/** Bytes for records. */
const capacity = 4 * 1024 * 1024;

/** More bytes that the file takes from the disk, for SQLite to commit what the records hold when nothing else is left. */
const reserve = 6 * 1024 * 1024;

/** In front of the notes of a record, little endian: length in bytes (4), generation (8), checksum (8). */
const headBytes = 20;

/**
 * Makes writes durable until SQLite has committed them: one short write and one sync for a whole batch, into blocks that
 * are allocated already. A record holds the notes as they are after the batch, so it may be applied twice. When SQLite
 * has committed, the records are cleared, and the next generation of them begins at the start of the file.
 */
export class RedoLog implements Disposable {
  readonly path: string;
  readonly #fd: number;
  readonly #record = Buffer.alloc(capacity);
  #generation = newGeneration();
  #end = 0;
  #hasReserve = false;

  /** Opens the log of a database, or creates it. Throws when there is no room for it; it may lack its reserve. */
  constructor(database: string) {
    this.path = redoPathOf(database);
    this.#fd = openSync(this.path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    try {
      this.#grow(capacity);
      this.refill();
      syncFolder(dirname(this.path));
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** The batches that SQLite may not have committed, the oldest first. */
  *batches(): Generator<readonly Note[], void, void> {
    const bytes = Buffer.alloc(capacity);
    readSync(this.#fd, bytes, 0, capacity, 0);
    const generation = bytes.readBigUInt64LE(4);
    for (let at = 0; at + headBytes <= capacity; at = this.#end) {
      const notes = recordAt(bytes, at, generation);
      if (notes === undefined) return; // it was never acknowledged, or is of an earlier generation
      this.#end = at + headBytes + notes.length;
      const batch: readonly Note[] = JSON.parse(notes.toString()); // ours: the checksum says so
      yield batch;
    }
  }

  /** Appends a batch and returns when it is on disk; false, and nothing is changed, when there is no room for it. */
  append(notes: readonly Note[]): boolean {
    if (!this.#hasReserve) return false;
    const text = `[${notes.map(jsonOf).join()}]`;
    if (this.#end + headBytes + 3 * text.length > capacity) return false; // UTF-8 takes at most 3 bytes for each unit
    const length = this.#record.write(text, headBytes);
    const record = this.#record.subarray(0, headBytes + length);
    record.writeUInt32LE(length, 0);
    record.writeBigUInt64LE(this.#generation, 4);
    record.writeBigUInt64LE(checksum(record.subarray(headBytes), this.#generation), 12);
    if (!this.#write(record, this.#end)) return false;
    fdatasyncSync(this.#fd);
    this.#end += record.length;
    return true;
  }

  /** False where each write takes new blocks (btrfs, ZFS) and the disk is full. */
  #write(bytes: Uint8Array, position: number): boolean {
    try {
      writeAll(this.#fd, bytes, position);
      return true;
    } catch (error) {
      if (isNoRoom(error)) return false;
      throw error;
    }
  }

  /** Forgets all batches: SQLite has committed them. Not synced, since it does no harm to apply them again. */
  clear(): void {
    if (this.#end === 0) return;
    this.#write(Buffer.alloc(headBytes), 0);
    this.#generation = newGeneration();
    this.#end = 0;
  }

  /** Gives the reserve back to the disk. Until it is refilled there is no room for a batch. */
  release(): void {
    this.#hasReserve = false;
    ftruncateSync(this.#fd, capacity);
  }

  /** Takes the reserve from the disk, if it was given back and the disk has room. */
  refill(): void {
    if (this.#hasReserve) return;
    try {
      this.#grow(capacity + reserve);
      this.#hasReserve = true;
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      this.release();
    }
  }

  /** Writes zeros: a sync of blocks that were never written would have to tell the file system too. */
  #grow(size: number): void {
    const piece = Buffer.alloc(1024 * 1024);
    for (let end = fstatSync(this.#fd).size; end < size; end += piece.length) {
      writeAll(this.#fd, piece.subarray(0, size - end), end);
    }
    fsyncSync(this.#fd);
  }

  /** Removes the file; to be called when SQLite has committed all there is. */
  remove(): void {
    rmSync(this.path, { force: true });
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/**
 * Names the batches in the log of a database that SQLite may not have committed, as another program sees them; undefined
 * when there are none. Once it is another one, SQLite has committed what was there before.
 */
export function pendingIn(database: string): bigint | undefined {
  const path = redoPathOf(database);
  if (!existsSync(path)) return undefined;
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(capacity);
    readSync(fd, bytes, 0, capacity, 0);
    const generation = bytes.readBigUInt64LE(4);
    return recordAt(bytes, 0, generation) && generation;
  } finally {
    closeSync(fd);
  }
}

/** The notes of the record that begins at `at`; undefined when none of this generation does. */
function recordAt(bytes: Buffer, at: number, generation: bigint): Buffer | undefined {
  const length = bytes.readUInt32LE(at);
  const notes = bytes.subarray(at + headBytes, at + headBytes + length);
  const isComplete = length > 0 && bytes.readBigUInt64LE(at + 12) === checksum(notes, generation);
  return isComplete ? notes : undefined;
}

const isNoRoom = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOSPC';

/** A number that no record on the disk carries by chance. */
const newGeneration = () => crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;

const checksum = (bytes: Uint8Array, generation: bigint) => Bun.hash.xxHash64(bytes, generation);

/** The system may write less than it is told to. */
function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}
