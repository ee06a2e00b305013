/** HTTP by hand over TCP: what a test writes is what the service receives, and the other way round. */
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** As text, its coding undone. */
  readonly body: string;
}

/** Why no answer came: the connection was closed before its first byte, or in the middle of it. */
export type NoAnswer = 'closed' | 'cut off';

export interface Connection extends Disposable {
  readonly socket: Socket;
  /** Resolves when nothing more can come. */
  readonly closed: Promise<void>;
  send(bytes: string | Uint8Array): void;
  /** The next answer, or why there is none. The answer to HEAD has no body whatever its headers say. */
  answer(method?: string): Promise<Answer | NoAnswer>;
  /** What has arrived and was not taken as an answer. */
  received(): Buffer;
}

/** Rejects when nothing listens at the port. */
export async function connect(port: number): Promise<Connection> {
  const socket = connectTcp({ host: '127.0.0.1', port });
  let received: Buffer = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isClosed = true;
      resolve();
      wake();
    });
  });
  await once(socket, 'connect');
  socket.setNoDelay(true);
  socket.on('error', () => {}); // 'close' follows
  socket.on('data', (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    wake();
  });

  async function answer(method = 'GET'): Promise<Answer | NoAnswer> {
    for (;;) {
      const parsed = parseAnswer(received, method);
      if (parsed !== undefined) {
        received = received.subarray(parsed.length);
        return parsed.answer;
      }
      if (isClosed) return received.length === 0 ? 'closed' : 'cut off';
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    socket,
    closed,
    send: (bytes) => void socket.write(bytes),
    answer,
    received: () => received,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The complete answer at the start of these bytes, and its length; undefined while some of it is missing. */
function parseAnswer(bytes: Buffer, method: string): { answer: Answer; length: number } | undefined {
  const head = headOf(bytes);
  if (head === undefined) return undefined;
  const { status, headers, length: start } = head;
  const isBodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  if (isBodiless) return { answer: { status, headers, body: '' }, length: start };
  const body = bodyOf(bytes.subarray(start), headers);
  if (body === undefined) return undefined;
  const text = decoded(body.content, headers.get('content-encoding')).toString();
  return { answer: { status, headers, body: text }, length: start + body.length };
}

/** The body at the start of these bytes, and how many of them it takes. */
function bodyOf(bytes: Buffer, headers: Answer['headers']): Body | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return chunksIn(bytes);
  const length = Number(headers.get('content-length') ?? 0);
  return bytes.length < length ? undefined : { content: bytes.subarray(0, length), length };
}

function decoded(content: Buffer, coding: string | undefined): Buffer {
  if (coding === 'gzip') return gunzipSync(content);
  if (coding === 'br') return brotliDecompressSync(content);
  return coding === 'zstd' ? zstdDecompressSync(content) : content;
}

/** The head of an answer; `length` is that of the head with the empty line behind it. */
export function headOf(bytes: Buffer): (Omit<Answer, 'body'> & { readonly length: number }) | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status, headers, length: end + 4 };
}

interface Body {
  readonly content: Buffer;
  readonly length: number;
}

/** The content of a chunked body, or undefined when it does not end as a complete one does. */
export function contentOf(chunked: Buffer): Buffer | undefined {
  const body = chunksIn(chunked);
  return body?.length === chunked.length ? body.content : undefined;
}

function chunksIn(bytes: Buffer): Body | undefined {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const start = lineEnd + 2;
    at = start + size + 2;
    if (Number.isNaN(size) || bytes.length < at) return undefined;
    if (size === 0) return { content: Buffer.concat(pieces), length: at };
    pieces.push(bytes.subarray(start, start + size));
  }
}
