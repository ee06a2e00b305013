/** Lists too long to be kept in memory: stores them and reads them slowly. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { categories, colors, groups, type Note } from '../../../src/core/note.ts';
import { openFile } from '../stores/open-file.ts';
import { joinChunksIfComplete, parseHeadIfComplete } from './raw-http-connection.ts';

/** Stores notes of 1.4 KB, every fourth archived; their JSON hardly compresses and has characters of 1-4 bytes. */
export async function storeLongList(path: string, count = 20_000): Promise<Note[]> {
  await using store = await openFile(path);
  const create = (n: number) =>
    store.create({
      title: `Note ${n}`,
      content: `${randomBytes(900).toString('base64')} žluťoučký 🐎`,
      category: categories[n % categories.length] ?? 'notes',
      group: groups[n % groups.length] ?? 'first',
      color: colors[n % colors.length] ?? 'primary',
    });
  const notes: Note[] = [];
  for (let n = 0; n < count; n += 500) {
    notes.push(...(await Promise.all(Array.from({ length: 500 }, (_, index) => create(n + index)))));
  }
  return Promise.all(notes.map((note) => (note.id % 4 === 0 ? store.setArchived(note.id, true) : note)));
}

/** A list whose head has arrived; the client reads no further until `rest` is called. */
export interface Download extends Disposable {
  /** 0 if the connection was closed before any response. */
  readonly status: number;
  /** Reads the rest: slowly for `slowMs`, then at full speed. Resolves to undefined if it is incomplete. */
  rest(slowMs?: number, bytesPerMs?: number): Promise<Buffer | undefined>;
}

export async function beginListDownload(url: string, query = '', headers = ''): Promise<Download> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  const pieces: Buffer[] = [];
  const begun = Promise.withResolvers<void>();
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  let isBegun = false;
  let rate = 0;
  let slowUntil = Number.POSITIVE_INFINITY;
  socket.on('data', (bytes: Buffer) => {
    pieces.push(bytes);
    if (!isBegun) {
      if (parseHeadIfComplete(Buffer.concat(pieces)) === undefined) return;
      isBegun = true;
      begun.resolve();
    }
    if (performance.now() > slowUntil) return;
    socket.pause();
    if (Number.isFinite(slowUntil)) setTimeout(() => socket.resume(), bytes.length / rate);
  });
  socket.on('error', () => {}); // 'close' follows
  socket.write(`GET /api/notes${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`);
  await Promise.race([begun.promise, closed]);

  return {
    status: parseHeadIfComplete(Buffer.concat(pieces))?.status ?? 0,
    async rest(slowMs = 0, bytesPerMs = 2_000) {
      rate = bytesPerMs;
      slowUntil = performance.now() + slowMs;
      socket.resume();
      await closed;
      const bytes = Buffer.concat(pieces);
      return extractContentIfComplete(bytes);
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The content of a plain or chunked response; undefined if incomplete. */
function extractContentIfComplete(answer: Buffer): Buffer | undefined {
  const head = parseHeadIfComplete(answer);
  const rest = answer.subarray(head?.length);
  const length = head?.headers.get('content-length');
  if (length === undefined) return joinChunksIfComplete(rest);
  return rest.length === Number(length) ? rest : undefined;
}
