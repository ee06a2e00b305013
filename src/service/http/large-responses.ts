import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { JsonChunks, ListBody } from '../../core/store.ts';

interface LargeResponsesOptions {
  /** Returns the number of responses that are not fully sent. */
  readonly countUnsent: () => number;
  /** Is called with the reason why a response broke off. */
  readonly onBreak: (error: unknown) => void;
}

/** Responses of this many bytes and more are counted, and `maxOpenResponses` of them may be sent at the same time. */
const largeBytes = 1024 * 1024;
const maxOpenResponses = 64;
/**
 * While this many large responses are open, no compressed copies are made for further ones. They share the uncompressed
 * bytes of the cached list, which need no more memory however many readers there are.
 */
const maxCopies = 8;

/**
 * The runtime sends a body fastest if it gets all of it at once, but does not tell when the reader has received it. So
 * it gets a body at once only while all unsent responses together could hold at most this many bytes.
 */
const maxUnstreamedBytes = 32 * 1024 * 1024;

const pieceBytes = 64 * 1024;

/** A reader who reads nothing for this long, in ms, is disconnected. */
const stallTimeoutMs = 30_000;

/** Says whether a text may have to be sent as a large response: a UTF-16 unit has up to three bytes in UTF-8. */
export const mayTextNeedLargeResponse = (text: string) => text.length >= largeBytes / 3;

/** Sends large responses with bounded memory, however many readers stall. */
export class LargeResponses {
  readonly onBreak: (error: unknown) => void;
  readonly #countUnsent: () => number;
  #openCount = 0;
  /** This many responses wait until readers who have left are counted off. */
  #waitingCount = 0;

  constructor({ countUnsent, onBreak }: LargeResponsesOptions) {
    this.#countUnsent = countUnsent;
    this.onBreak = onBreak;
  }

  /** Whether further responses may hold bytes of their own, such as a compressed copy. */
  get canHoldCopies(): boolean {
    return this.#openCount < maxCopies;
  }

  /**
   * Responds with a body: at once if all unsent responses could hold as much, or else in pieces. Rejects with `busy` if
   * too many are open.
   */
  respond(body: ListBody, headers: Headers | Record<string, string>): Response | Promise<Response> {
    const isSentAtOnce = body.size < largeBytes || body.size * (this.#countUnsent() + 1) <= maxUnstreamedBytes;
    if (isSentAtOnce) return new Response(body.whole(), { headers });
    return this.openStreamOrThrowBusy(createPartChunks(body.parts)).then((stream) => new Response(stream, { headers }));
  }

  /**
   * Opens a stream that pulls a chunk whenever the reader has read the one before. Rejects with `busy` if too many are
   * open.
   */
  async openStreamOrThrowBusy(chunks: JsonChunks): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { onBreak } = this;
    if (this.#openCount >= maxOpenResponses || this.#waitingCount > 0) {
      this.#waitingCount++; // whoever comes later is later
      await waitTwoEventLoopTurns();
      this.#waitingCount--;
    }
    if (this.#openCount >= maxOpenResponses) {
      chunks.close().catch(onBreak);
      throw new NoteError('busy', message.busy);
    }
    this.#openCount++;
    let stalled: Timer | undefined;
    let isOpen = true;
    const end = () => {
      clearTimeout(stalled);
      if (isOpen) this.#openCount--;
      isOpen = false;
    };
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        clearTimeout(stalled);
        await new Promise(setImmediate); // a fast reader must not block other requests
        if (!isOpen) return; // its reader has left
        const chunk = await chunks.next().catch((error) => {
          end();
          onBreak(error);
          throw error;
        });
        if (!isOpen) return;
        if (chunk === undefined) {
          end();
          return controller.close();
        }
        controller.enqueue(chunk);
        stalled = setTimeout(() => {
          end();
          controller.error(new Error('The reader of a large response has read nothing'));
          chunks.close().catch(onBreak);
        }, stallTimeoutMs);
      },
      cancel() {
        end();
        return chunks.close();
      },
    });
  }
}

/**
 * Waits until the runtime has reported all readers who have left by now: it may report one only after the request with
 * which that reader comes back. It looks at all connections once per turn of the event loop, and the first of two
 * callbacks may still belong to this turn.
 */
async function waitTwoEventLoopTurns(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

const encoder = new TextEncoder();

/** Creates a body of one part. */
export function createSinglePartListBody(body: string | Uint8Array<ArrayBuffer>): ListBody {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  return { size: bytes.length, parts: [bytes], whole: () => bytes };
}

/** Divides long chunks into pieces. */
export function divideChunksIntoPieces(chunks: JsonChunks): JsonChunks {
  let rest = new Uint8Array();
  return {
    async next() {
      if (rest.length === 0) rest = (await chunks.next()) ?? rest;
      const piece = rest.subarray(0, pieceBytes);
      rest = rest.subarray(pieceBytes);
      return piece.length === 0 ? undefined : piece;
    },
    close: () => chunks.close(),
  };
}

/**
 * Creates chunks from the parts of a list. A part may have megabytes, and the runtime copies each chunk for its reader:
 * so long parts are divided, and a reader who stalls needs the memory of one piece.
 */
function createPartChunks(parts: ListBody['parts']): JsonChunks {
  function* pieces() {
    for (const part of parts) {
      for (let at = 0; at < part.length; at += pieceBytes) yield part.subarray(at, at + pieceBytes);
    }
  }
  const rest = pieces();
  return { next: async () => rest.next().value ?? undefined, close: async () => {} };
}
