import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonChunks } from '../domain/store.ts';
import type { Entry } from './segments.ts';

/** Approximate characters of JSON per chunk. */
export const chunkLength = 128 * 1024;

/** Uncached lists of up to about this many characters are returned whole, longer ones in chunks. */
export const wholeLength = 1024 * 1024;

const pieceBytes = 256 * 1024;
const pieceLength = 1024 * 1024; // longer than most chunks, which are sent as they are
const roomCheckBytes = 8 * 1024 * 1024;
const encoder = new TextEncoder();

/** Parts of the JSON of a list. `return` releases the snapshot. */
type Texts = Generator<string, void, void> | AsyncGenerator<string, void, void>;

/** Notes of a list, in order. `return` releases the snapshot. */
type Batches = Generator<Iterable<Entry>, void, void> | AsyncGenerator<Iterable<Entry>, void, void>;

/** For how long slow readers may hold snapshots in all, in ms: the more readers, the less for each. */
const maxHeldMs = 2_000;

interface SpoolOptions {
  readonly folder: string;
  /** How long a reader may take before the rest of its list is moved to a file, in ms. */
  readonly afterMs: number;
  /** Disk space to keep free, in bytes. */
  readonly reservedBytes?: number;
}

/** Returns a list as JSON chunks. `rest` must have been started; `readers` is the number of held snapshots. */
export async function spoolList(
  head: Iterable<Entry>,
  rest: Batches,
  { folder, readers }: { readonly folder: string; readonly readers: number },
): Promise<JsonChunks> {
  const texts = textsOf(head, rest);
  const { value: first } = await texts.next(); // start the generator, so that `return` runs its finally block
  return spool(first ?? '', texts, { folder, afterMs: maxHeldMs / readers });
}

async function* textsOf(head: Iterable<Entry>, rest: Batches): AsyncGenerator<string, void, void> {
  try {
    let [text, separator] = ['[', ''];
    for (let entries: Iterable<Entry> | undefined = head; entries; entries = (await rest.next()).value ?? undefined) {
      for (const { json } of entries) {
        text += separator + json;
        separator = ',';
        if (text.length < chunkLength) continue;
        yield text;
        text = '';
      }
    }
    yield `${text}]`;
  } finally {
    await rest.return();
  }
}

/**
 * Passes on a list, `head` first, in pieces of bounded size, and releases the snapshot behind `rest` within a bounded
 * time however slow the reader is: after `afterMs`, the rest goes to an unlinked file in `folder`.
 */
export function spool(head: string, rest: Texts, options: SpoolOptions): JsonChunks {
  let text = head;
  let at = 0;
  let file: Promise<FileHandle> | undefined;
  const timer = setTimeout(() => {
    file = writeAll(untaken(), options);
    file.catch(() => {}); // `next` rejects with the same error
  }, options.afterMs);

  async function* untaken(): Texts {
    const left = text.slice(at);
    [text, at] = ['', 0];
    if (left !== '') yield left;
    yield* rest;
  }

  async function close(): Promise<void> {
    clearTimeout(timer);
    await rest.return();
    await file?.then(
      (open) => open.close(),
      () => {},
    );
  }

  function nextPiece(): Uint8Array<ArrayBuffer> {
    const end = cutAfter(text, at + pieceLength);
    const piece = encoder.encode(text.slice(at, end));
    at = end;
    return piece;
  }

  async function take(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (at < text.length) return nextPiece();
    if (file !== undefined) return readPiece(await file);
    const { value, done } = await rest.next();
    if (done) return undefined;
    [text, at] = [value, 0];
    return nextPiece();
  }

  async function next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      const chunk = await take();
      if (chunk === undefined) await close();
      return chunk;
    } catch (error) {
      await close();
      throw error;
    }
  }

  return { next, close };
}

/** Returns a position near `end` that does not split a surrogate pair. */
const cutAfter = (text: string, end: number) => (isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end);

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;

async function writeAll(texts: Texts, options: SpoolOptions): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await openNameless(options.folder);
    let position = 0;
    for await (const text of texts) {
      if (position % roomCheckBytes < text.length) await checkRoom(options);
      const bytes = encoder.encode(text);
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten; // may be fewer if the disk is full; the next write then fails
      }
      position += bytes.length;
    }
    return file;
  } catch (error) {
    await texts.return();
    await file?.close();
    throw error;
  }
}

/** Keeps room on the disk for writes of notes. */
async function checkRoom({ folder, reservedBytes = 64 * 1024 * 1024 }: SpoolOptions): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < reservedBytes) throw new Error('Too little disk space for the list of a slow reader');
}

async function openNameless(folder: string): Promise<FileHandle> {
  const home = await mkdtemp(join(folder, '.notes-list-'));
  try {
    return await open(join(home, 'rest'), 'wx+', 0o600);
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Reads the next bytes; undefined at the end of the file. */
async function readPiece(file: FileHandle): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { bytesRead, buffer } = await file.read(new Uint8Array(pieceBytes), 0, pieceBytes);
  return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
}
