/** HTTP over raw TCP: the service receives exactly the bytes that a test writes, and vice versa. */
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export interface RawResponse {
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The decoded body as text. */
  readonly body: string;
}

/** The connection was closed before the first byte of a response, or in the middle of it. */
export type MissingResponse = 'closed' | 'cut off';

export interface Connection extends Disposable {
  readonly socket: Socket;
  /** Resolves when nothing more can come. */
  readonly closed: Promise<void>;
  send(bytes: string | Uint8Array): void;
  /** The next response, or why there is none. Responses to HEAD have no body, whatever their headers say. */
  receiveResponse(method?: string): Promise<RawResponse | MissingResponse>;
  /** Received bytes not yet parsed as a response. */
  received(): Buffer;
}

/** Rejects if nothing listens on the port. */
export async function openConnection(port: number): Promise<Connection> {
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

  async function receiveResponse(method = 'GET'): Promise<RawResponse | MissingResponse> {
    for (;;) {
      const parsed = parseResponseAndLengthIfComplete(received, method);
      if (parsed !== undefined) {
        received = received.subarray(parsed.length);
        return parsed.response;
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
    receiveResponse,
    received: () => received,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The response at the start of these bytes, and its length; undefined while it is incomplete. */
function parseResponseAndLengthIfComplete(
  bytes: Buffer,
  method: string,
): { response: RawResponse; length: number } | undefined {
  const head = parseHeadIfComplete(bytes);
  if (head === undefined) return undefined;
  const { status, headers, length: start } = head;
  const isBodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  if (isBodiless) return { response: { status, headers, body: '' }, length: start };
  const body = parseBodyIfComplete(bytes.subarray(start), headers);
  if (body === undefined) return undefined;
  const text = decodeContent(body.content, headers.get('content-encoding')).toString();
  return { response: { status, headers, body: text }, length: start + body.length };
}

/** The body at the start of these bytes, and its length. */
function parseBodyIfComplete(bytes: Buffer, headers: RawResponse['headers']): Body | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return parseChunksIfComplete(bytes);
  const length = Number(headers.get('content-length') ?? 0);
  return bytes.length < length ? undefined : { content: bytes.subarray(0, length), length };
}

function decodeContent(content: Buffer, coding: string | undefined): Buffer {
  if (coding === 'gzip') return gunzipSync(content);
  if (coding === 'br') return brotliDecompressSync(content);
  return coding === 'zstd' ? zstdDecompressSync(content) : content;
}

/** The head of a response; `length` includes the empty line after it. */
export function parseHeadIfComplete(
  bytes: Buffer,
): (Omit<RawResponse, 'body'> & { readonly length: number }) | undefined {
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

/** The content of a chunked body; undefined if it is incomplete. */
export function joinChunksIfComplete(chunked: Buffer): Buffer | undefined {
  const body = parseChunksIfComplete(chunked);
  return body?.length === chunked.length ? body.content : undefined;
}

function parseChunksIfComplete(bytes: Buffer): Body | undefined {
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
