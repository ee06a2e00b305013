/** HTTP by hand over TCP: what a test writes is what the service receives, and the other way round. */
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
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
  const isBodiless = method === 'HEAD' || status === 100 || status === 304;
  const length = start + (isBodiless ? 0 : Number(headers.get('content-length') ?? 0));
  if (bytes.length < length) return undefined;
  return { answer: { status, headers, body: bytes.toString('utf8', start, length) }, length };
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

/** The content of a chunked body, or undefined when it does not end as a complete one does. */
export function contentOf(chunked: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = chunked.indexOf('\r\n', at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(chunked.toString('latin1', at, lineEnd), 16);
    const start = lineEnd + 2;
    if (Number.isNaN(size) || chunked.length < start + size + 2) return undefined;
    if (size === 0) return start + 2 === chunked.length ? Buffer.concat(pieces) : undefined;
    pieces.push(chunked.subarray(start, start + size));
    at = start + size + 2;
  }
}
