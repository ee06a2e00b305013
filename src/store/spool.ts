import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonChunks } from '../domain/store.ts';
import type { Entry } from './segments.ts';

/** About how many characters of JSON are made at once. */
export const chunkLength = 128 * 1024;

const pieceBytes = 256 * 1024;
const pieceLength = 1024 * 1024; // more than most texts that come: they go on as they are
const roomCheckBytes = 8 * 1024 * 1024;
const encoder = new TextEncoder();

/** The pieces of a list, in order; `return` releases its snapshot. */
export type Texts = Generator<string, void, void> | AsyncGenerator<string, void, void>;

/** Notes of a list, in order; `return` releases its snapshot. */
type Batches = Generator<Iterable<Entry>, void, void> | AsyncGenerator<Iterable<Entry>, void, void>;

/** How long slow readers together may hold snapshots, in ms: the more are held, the sooner each is let go. */
const maxHeldMs = 2_000;

export interface SpoolOptions {
  readonly folder: string;
  /** How long a reader may take, in ms, before the rest of its list goes to a file. */
  readonly afterMs: number;
  /** Room on the disk that no list may take. */
  readonly reservedBytes?: number;
}

/** A list as JSON, `head` and then `rest`, which must have begun; `readers` hold a snapshot now. */
export async function spoolList(
  head: Iterable<Entry>,
  rest: Batches,
  { folder, readers }: { readonly folder: string; readonly readers: number },
): Promise<JsonChunks> {
  const texts = textsOf(head, rest);
  const { value: first } = await texts.next(); // begun, so that it frees what it holds when it is left
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
 * Passes on a list, `head` first, in pieces of a bounded size, and frees the snapshot behind `rest` within a bounded time,
 * however slow the reader is: after `afterMs`, all that it has not taken goes to a nameless file in `folder`.
 */
export function spool(head: string, rest: Texts, options: SpoolOptions): JsonChunks {
  let text = head;
  let at = 0;
  let file: Promise<FileHandle> | undefined;
  const timer = setTimeout(() => {
    file = writeAll(untaken(), options);
    file.catch(() => {}); // `next` meets the same rejection
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

/** A place near `end` where a text may be cut: not within a character of two units. */
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
        done += bytesWritten; // less than all where the disk becomes full: the next write then fails
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

/** Slow readers must not take the last room from those who write notes. */
async function checkRoom({ folder, reservedBytes = 64 * 1024 * 1024 }: SpoolOptions): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < reservedBytes) throw new Error('Too little room on the disk for the list of a slow reader');
}

async function openNameless(folder: string): Promise<FileHandle> {
  const home = await mkdtemp(join(folder, '.notes-list-'));
  try {
    return await open(join(home, 'rest'), 'wx+', 0o600);
  } finally {
    await rm(home, { recursive: true });
  }
}

/** The next bytes from where the last read ended; undefined at the end of the file. */
async function readPiece(file: FileHandle): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { bytesRead, buffer } = await file.read(new Uint8Array(pieceBytes), 0, pieceBytes);
  return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
}
