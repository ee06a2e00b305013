import { invalid, NoteError } from '../../core/error.ts';
import { excessIn, maxPartsOfNote } from '../../core/long-json.ts';
import { type Fields, isObject } from '../../core/tools/json.ts';
import { textInUtf8 } from '../../core/tools/utf8.ts';
import * as message from './http-messages.ts';

/** Bodies of a known length up to this are read at once; others are counted as they arrive. */
const smallBytes = 64 * 1024;
const inFlightFactor = 8;

/** Reads JSON objects from request bodies; holds at most eight times `limit` bytes at once, small ones not counted. */
export class BodyReader {
  readonly #limit: number;
  readonly #max: number;
  #inFlight = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  /** Accepts `slack` bytes above the limit. */
  constructor(limit: number, slack = 0) {
    this.#limit = limit;
    this.#max = limit + slack;
  }

  /** Reads the object in a body. Throws `invalid`, also for JSON of more than `max` parts. */
  async read(request: Request, max = maxPartsOfNote): Promise<Fields> {
    const type = request.headers.get('content-type');
    if (type !== 'application/json' && !isJson(type)) throw invalid(message.wrongContentType);
    assertNotEncoded(request);
    if (request.headers.has('trailer')) throw invalid(message.trailers);
    return parseObject(await this.#text(request), max);
  }

  async #text(request: Request): Promise<string> {
    const length = Number(request.headers.get('content-length') ?? Number.NaN);
    if (length > this.#max) throw invalid(message.bodyTooLarge(this.#limit));
    const bytes = await (length <= smallBytes ? request.bytes() : this.#counted(request)).catch(rethrowBroken);
    await refuseBroken(request);
    if (bytes.length > smallBytes) await this.#turn();
    const text = textInUtf8(bytes);
    if (text === undefined) throw invalid(message.notUtf8);
    return text;
  }

  /** Gives each large body its own turn of the event loop, so that other requests run in between. */
  #turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => new Promise(setImmediate));
    return this.#lastTurn;
  }

  async #counted(request: Request): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let total = 0;
    try {
      for await (const chunk of request.body ?? []) {
        chunks.push(chunk);
        total += chunk.length;
        this.#inFlight += chunk.length;
        if (total > this.#max) throw invalid(message.bodyTooLarge(this.#limit));
        const max = this.#limit * inFlightFactor;
        if (this.#inFlight > max)
          throw invalid(
            `Request bodies in flight together must not be larger than ${max} bytes (8 x MAX_BODY_BYTES). Try again`,
          );
        if (chunks.length % 64 === 0) await new Promise(setImmediate); // meanwhile the runtime joins small chunks
      }
      return Buffer.concat(chunks);
    } finally {
      this.#inFlight -= total;
    }
  }
}

const isJson = (type: string | null) => type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';

/** Throws `invalid` for a compressed body: it would be read as broken text. */
export function assertNotEncoded({ headers }: Request): void {
  const coding = headers.get('content-encoding');
  if (coding !== null && !['', 'identity'].includes(coding.trim().toLowerCase()))
    throw invalid(message.encodedBody(coding));
}

/** For `catch`: a client that disconnects in mid-body is no fault of the service. */
export function rethrowBroken(error: unknown): never {
  throw error instanceof NoteError
    ? error
    : new NoteError('invalid', 'Request body ended before it was complete', { cause: error });
}

/**
 * The runtime delivers a chunked body with its last chunk. If something else follows, such as a trailer, it answers
 * 400 itself and closes the connection: such a request must have no effect.
 */
export async function refuseBroken(request: Request): Promise<void> {
  if (!request.headers.has('transfer-encoding')) return;
  await new Promise(setImmediate);
  if (request.signal.aborted) throw invalid('Request body ended before it was complete');
}

function parseObject(text: string, max: number): Fields {
  const excess = excessIn(text, max);
  if (excess !== undefined) throw invalid(excess);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new NoteError('invalid', message.malformedJson, { cause: error });
  }
  if (!isObject(value)) throw invalid(message.notAnObject);
  return value;
}
