import { NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { JsonChunks, ListBody } from '../../core/store.ts';

interface LargeAnswersOptions {
  /** The number of responses that are not fully sent. */
  readonly unsent: () => number;
  /** Called with the reason why a response broke off. */
  readonly brokeOff: (error: unknown) => void;
}

/** Larger answers, in bytes, are counted. Up to `maxAnswers` of them are sent at the same time. */
const largeBytes = 1024 * 1024;
const maxAnswers = 64;
/** Above so many, none gets bytes of its own: the plain bytes are shared by the lists before and after a write. */
const maxCopies = 8;

/** The runtime sends a whole body fastest, but does not tell when it has: so only while all could hold this much. */
const maxWholeBytes = 32 * 1024 * 1024;

const pieceBytes = 64 * 1024;

/** A reader who takes nothing for this long, in ms, is disconnected. */
const stalledMs = 30_000;

/** Whether a text may have to be sent as a large answer: a UTF-16 unit has up to three bytes in UTF-8. */
export const isLarge = (text: string) => text.length >= largeBytes / 3;

/** Sends large answers with bounded memory, however many readers stall. */
export class LargeAnswers {
  readonly brokeOff: (error: unknown) => void;
  readonly #unsent: () => number;
  #underWay = 0;
  /** The number of answers that wait until readers who have left are counted off. */
  #waiting = 0;

  constructor({ unsent, brokeOff }: LargeAnswersOptions) {
    this.#unsent = unsent;
    this.brokeOff = brokeOff;
  }

  /** Whether answers may hold bytes that no other one shares. */
  get mayHoldCopies(): boolean {
    return this.#underWay < maxCopies;
  }

  /** Rejects with `busy` if too many are under way. */
  answer(body: ListBody, headers: Headers | Record<string, string>): Response | Promise<Response> {
    const isSentWhole = body.size < largeBytes || body.size * (this.#unsent() + 1) <= maxWholeBytes;
    if (isSentWhole) return new Response(body.whole(), { headers });
    return this.stream(chunksOf(body.parts)).then((stream) => new Response(stream, { headers }));
  }

  /** Pulls a chunk whenever the reader has taken the one before. Rejects with `busy` if too many are under way. */
  async stream(chunks: JsonChunks): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { brokeOff } = this;
    if (this.#underWay >= maxAnswers || this.#waiting > 0) {
      this.#waiting++; // whoever comes later is later
      await waitForClosedConnections();
      this.#waiting--;
    }
    if (this.#underWay >= maxAnswers) {
      chunks.close().catch(brokeOff);
      throw new NoteError('busy', message.busy);
    }
    this.#underWay++;
    let stalled: Timer | undefined;
    let isOpen = true;
    const end = () => {
      clearTimeout(stalled);
      if (isOpen) this.#underWay--;
      isOpen = false;
    };
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        clearTimeout(stalled);
        await new Promise(setImmediate); // a fast reader must not block other requests
        if (!isOpen) return; // its reader has left
        const chunk = await chunks.next().catch((error) => {
          end();
          brokeOff(error);
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
          controller.error(new Error('The reader of a large answer took nothing'));
          chunks.close().catch(brokeOff);
        }, stalledMs);
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
async function waitForClosedConnections(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

const encoder = new TextEncoder();

export function inOnePart(body: string | Uint8Array<ArrayBuffer>): ListBody {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  return { size: bytes.length, parts: [bytes], whole: () => bytes };
}

/** Divides long chunks into pieces. */
export function divideChunks(chunks: JsonChunks): JsonChunks {
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

/** Divides long parts, so that a reader who stalls holds a piece beside what lists share. */
function chunksOf(parts: ListBody['parts']): JsonChunks {
  function* pieces() {
    for (const part of parts) {
      for (let at = 0; at < part.length; at += pieceBytes) yield part.subarray(at, at + pieceBytes);
    }
  }
  const rest = pieces();
  return { next: async () => rest.next().value ?? undefined, close: async () => {} };
}
