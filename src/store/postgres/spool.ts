import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonChunks } from '../../domain/store.ts';
import type { Entry } from '../row.ts';

/** Approximate characters of JSON per chunk. */
export const chunkLength = 128 * 1024;

/** Uncached lists of up to about this many characters are returned whole, longer ones in chunks. */
export const wholeLength = 1024 * 1024;

const pieceBytes = 256 * 1024;
const pieceLength = 1024 * 1024;
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
        yield* cut(text);
        text = '';
      }
    }
    yield* cut(`${text}]`);
  } finally {
    await rest.return();
  }
}

/** Cuts a long text between characters. */
function* cut(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; ) {
    const end = at + pieceLength;
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;

/**
 * Passes on a list, `head` first, and releases the snapshot behind `rest` within a bounded time however slow the reader
 * is: after `afterMs`, the rest goes to an unlinked file in `folder`.
 */
export function spool(head: string, rest: Texts, options: SpoolOptions): JsonChunks {
  const texts = preceded(head, rest);
  let file: Promise<FileHandle> | undefined;
  const timer = setTimeout(() => {
    file = writeAll(texts, options);
    file.catch(() => {}); // `next` rejects with the same error
  }, options.afterMs);

  async function close(): Promise<void> {
    clearTimeout(timer);
    await rest.return();
    await file?.then(
      (open) => open.close(),
      () => {},
    );
  }

  async function take(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (file !== undefined) return readPiece(await file);
    const { value } = await texts.next();
    return value === undefined ? undefined : encoder.encode(value);
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

async function* preceded(head: string, rest: Texts): AsyncGenerator<string, void, void> {
  yield head;
  yield* rest;
}

async function writeAll(texts: AsyncGenerator<string, void, void>, options: SpoolOptions): Promise<FileHandle> {
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
