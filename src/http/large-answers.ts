import type { JsonChunks, ListBody } from '../domain/store.ts';

export interface LargeAnswersOptions {
  /** The number of responses that are not fully sent. */
  readonly unsent: () => number;
  readonly brokeOff: (error: unknown) => void;
  /** Limit of memory for unfinished responses. */
  readonly maxBytes?: number;
  /** How long a stalled reader is spared when the budget is exceeded, in ms. */
  readonly graceMs?: number;
}

/** Smaller bodies usually fit into kernel buffers. */
const largeBytes = 64 * 1024;

/** Whether a body may have to wait in memory for its reader. */
export const isLarge = (body: string) => body.length >= largeBytes / 3; // a UTF-16 unit has up to three bytes in UTF-8
const pieceBytes = 64 * 1024;

/** A reader stalled for this long, in ms, is disconnected. */
const stalledMs = 120_000;

/** Memory held until a reader has consumed its response. */
export interface HeldMemory {
  /** In bytes, for this response alone. */
  readonly own: number;
  /** What other responses may hold as well. */
  readonly shared?: readonly Uint8Array<ArrayBuffer>[];
}

interface UnfinishedAnswer extends HeldMemory {
  /** When its reader could begin to consume, by `performance.now()`; undefined while the next piece is fetched. */
  waitsSince: number | undefined;
  /** Breaks the connection. */
  cut(): void;
}

/**
 * Sends large bodies within a memory budget, however many readers stall. The runtime sends a `Blob` fastest, but does
 * not report completion: so blobs are used only while all unsent responses together could hold at most a quarter of
 * the budget. Other bodies are pulled in pieces; while these exceed the rest of the budget, connections of readers
 * stalled for `graceMs` are cut, the longest first.
 */
export class LargeAnswers {
  /** Called with the reason why a response broke off. */
  readonly brokeOff: (error: unknown) => void;
  readonly #unsent: () => number;
  readonly #maxWholeBytes: number;
  readonly #unfinished: UnfinishedAnswers;

  constructor({ unsent, brokeOff, maxBytes = 128 * 1024 * 1024, graceMs = 500 }: LargeAnswersOptions) {
    this.brokeOff = brokeOff;
    this.#unsent = unsent;
    this.#maxWholeBytes = maxBytes / 4;
    this.#unfinished = new UnfinishedAnswers(maxBytes - this.#maxWholeBytes, graceMs);
  }

  get heldBytes(): number {
    return this.#unfinished.bytes;
  }

  answer(body: ListBody, headers: Headers | Record<string, string>): Response {
    const isSentWhole = body.size < largeBytes || body.size * (this.#unsent() + 1) <= this.#maxWholeBytes;
    if (isSentWhole) return new Response(body.whole(), { headers });
    const held = { own: 2 * pieceBytes, shared: body.parts };
    return new Response(this.stream(chunksOf(piecesOf(body.parts)), held), { headers });
  }

  /** Pulls one chunk at a time: a slow reader slows the store down instead of filling memory. */
  stream(chunks: JsonChunks, held: HeldMemory): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { brokeOff } = this;
    const unfinished = this.#unfinished;
    let stalled: Timer | undefined;
    let cut = () => {};
    const answer: UnfinishedAnswer = { ...held, waitsSince: undefined, cut: () => cut() };

    const end = () => {
      clearTimeout(stalled);
      unfinished.delete(answer);
    };
    const giveUp = (controller: ReadableStreamDefaultController, reason: string) => {
      end();
      controller.error(new Error(reason));
      chunks.close().catch(brokeOff);
    };

    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        cut = () => giveUp(controller, 'Unread responses hold too much memory');
        unfinished.add(answer);
      },
      async pull(controller) {
        clearTimeout(stalled);
        answer.waitsSince = undefined;
        await new Promise(setImmediate); // a fast reader must not block other requests
        if (!unfinished.has(answer)) return; // its reader has left
        const chunk = await chunks.next().catch((error) => {
          end();
          brokeOff(error);
          throw error;
        });
        if (!unfinished.has(answer)) return; // cut meanwhile
        if (chunk === undefined) {
          end();
          return controller.close();
        }
        controller.enqueue(chunk);
        unfinished.wait(answer);
        stalled = setTimeout(() => giveUp(controller, 'The reader of a list stalled for too long'), stalledMs);
      },
      cancel() {
        end();
        return chunks.close();
      },
    });
  }
}

/** Responses being pulled, and the memory they hold; counts once what they share. */
class UnfinishedAnswers {
  readonly #maxBytes: number;
  /** In order of `waitsSince`, latest last. */
  readonly #answers = new Set<UnfinishedAnswer>();
  /** How many responses hold a buffer. */
  readonly #sharing = new Map<ArrayBuffer, number>();
  readonly #graceMs: number;
  #timer: Timer | undefined;
  bytes = 0;

  constructor(maxBytes: number, graceMs: number) {
    this.#maxBytes = maxBytes;
    this.#graceMs = graceMs;
  }

  add(answer: UnfinishedAnswer): void {
    this.#answers.add(answer);
    this.bytes += answer.own;
    for (const { buffer } of answer.shared ?? []) this.#share(buffer, 1);
    this.#cutStalled();
  }

  /** Cuts stalled responses until the budget suffices; checks again when others may have stalled. */
  #cutStalled(): void {
    for (const longest of this.#answers) {
      if (this.bytes <= this.#maxBytes) return;
      if (longest.waitsSince === undefined) continue;
      const graceMs = longest.waitsSince + this.#graceMs - performance.now();
      if (graceMs > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#cutStalled();
        }, graceMs + 1);
        return;
      }
      longest.cut();
    }
  }

  has(answer: UnfinishedAnswer): boolean {
    return this.#answers.has(answer);
  }

  /** Records that its reader can consume a piece now. */
  wait(answer: UnfinishedAnswer): void {
    this.#answers.delete(answer);
    answer.waitsSince = performance.now();
    this.#answers.add(answer);
    this.#cutStalled();
  }

  delete(answer: UnfinishedAnswer): void {
    if (!this.#answers.delete(answer)) return;
    this.bytes -= answer.own;
    for (const { buffer } of answer.shared ?? []) this.#share(buffer, -1);
  }

  #share(buffer: ArrayBuffer, change: 1 | -1): void {
    const before = this.#sharing.get(buffer) ?? 0;
    const sharing = before + change;
    if (before === 0) this.bytes += buffer.byteLength;
    if (sharing > 0) return void this.#sharing.set(buffer, sharing);
    this.#sharing.delete(buffer);
    this.bytes -= buffer.byteLength;
  }
}

const encoder = new TextEncoder();

export function inOnePart(body: string | Uint8Array<ArrayBuffer>): ListBody {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  return { size: bytes.length, parts: [bytes], whole: () => bytes };
}

/** Divides long parts and joins short ones. */
function* piecesOf(parts: ListBody['parts']): Generator<Uint8Array<ArrayBuffer>, void, void> {
  let [piece, size]: [Uint8Array<ArrayBuffer>[], number] = [[], 0];
  for (const part of parts) {
    for (let at = 0; at < part.length; at += pieceBytes) {
      const some = part.subarray(at, at + pieceBytes);
      piece.push(some);
      size += some.length;
      if (size < pieceBytes / 2) continue;
      yield joined(piece);
      [piece, size] = [[], 0];
    }
  }
  if (size > 0) yield joined(piece);
}

/** Copies unless there is only one. */
const joined = (parts: readonly Uint8Array<ArrayBuffer>[]) =>
  (parts.length === 1 ? parts[0] : undefined) ?? Buffer.concat(parts);

const chunksOf = (pieces: Generator<Uint8Array<ArrayBuffer>, void, void>): JsonChunks => ({
  next: async () => pieces.next().value ?? undefined,
  close: async () => {},
});
