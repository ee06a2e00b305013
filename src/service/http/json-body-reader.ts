import { createInvalidError, NoteError } from '../../core/error.ts';
import { type Fields, isObject } from '../../core/json/json.ts';
import { findJsonComplexityProblem, maxJsonPartsPerNote } from '../../core/json/json-complexity.ts';
import { tryDecodeUtf8 } from '../../core/text/utf8.ts';
import * as httpMessage from './http-messages.ts';

/** Bodies of a known length up to this are read at once; others are counted as they arrive. */
const smallBytes = 64 * 1024;
const inFlightFactor = 8;

/** Reads JSON objects from request bodies; holds at most eight times `limit` bytes at once, small ones not counted. */
export class JsonBodyReader {
  readonly #limitBytes: number;
  readonly #maxBytes: number;
  #bytesInFlight = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  /** Accepts `slack` bytes above the limit. */
  constructor(limit: number, slack = 0) {
    this.#limitBytes = limit;
    this.#maxBytes = limit + slack;
  }

  /** Reads the object in a body. Throws `invalid`, also for JSON of more than `max` parts. */
  async readJsonObject(request: Request, max = maxJsonPartsPerNote): Promise<Fields> {
    const type = request.headers.get('content-type');
    if (type !== 'application/json' && !isJsonType(type)) throw createInvalidError(httpMessage.wrongContentType);
    assertBodyNotCompressed(request);
    if (request.headers.has('trailer')) throw createInvalidError(httpMessage.trailers);
    return parseJsonObject(await this.#readText(request), max);
  }

  async #readText(request: Request): Promise<string> {
    const length = Number(request.headers.get('content-length') ?? Number.NaN);
    if (length > this.#maxBytes) throw createInvalidError(httpMessage.formatBodyTooLarge(this.#limitBytes));
    const bytes = await (length <= smallBytes ? request.bytes() : this.#readBytesWithinLimits(request)).catch(
      rethrowAsIncompleteBody,
    );
    await waitOneTurnAndAssertNotAborted(request);
    if (bytes.length > smallBytes) await this.#waitForOwnEventLoopTurn();
    const text = tryDecodeUtf8(bytes);
    if (text === undefined) throw createInvalidError(httpMessage.notUtf8);
    return text;
  }

  /** Gives each large body its own turn of the event loop, so that other requests run in between. */
  #waitForOwnEventLoopTurn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => new Promise(setImmediate));
    return this.#lastTurn;
  }

  async #readBytesWithinLimits(request: Request): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let total = 0;
    try {
      for await (const chunk of request.body ?? []) {
        chunks.push(chunk);
        total += chunk.length;
        this.#bytesInFlight += chunk.length;
        if (total > this.#maxBytes) throw createInvalidError(httpMessage.formatBodyTooLarge(this.#limitBytes));
        const max = this.#limitBytes * inFlightFactor;
        if (this.#bytesInFlight > max)
          throw createInvalidError(
            `Request bodies in flight together must not be larger than ${max} bytes (8 x MAX_BODY_BYTES). Try again`,
          );
        if (chunks.length % 64 === 0) await new Promise(setImmediate); // meanwhile the runtime joins small chunks
      }
      return Buffer.concat(chunks);
    } finally {
      this.#bytesInFlight -= total;
    }
  }
}

const isJsonType = (type: string | null) => type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';

/** Throws `invalid` for a compressed body: it would be read as broken text. */
export function assertBodyNotCompressed({ headers }: Request): void {
  const coding = headers.get('content-encoding');
  if (coding !== null && !['', 'identity'].includes(coding.trim().toLowerCase()))
    throw createInvalidError(httpMessage.formatUnsupportedContentEncoding(coding));
}

/** Serves as handler of `catch`: a client that disconnects in mid-body is no fault of the service. */
export function rethrowAsIncompleteBody(error: unknown): never {
  throw error instanceof NoteError
    ? error
    : new NoteError('invalid', 'Request body ended before it was complete', { cause: error });
}

/**
 * The runtime delivers a chunked body with its last chunk. If something else follows, such as a trailer, it responds
 * 400 itself and closes the connection: such a request must have no effect.
 */
export async function waitOneTurnAndAssertNotAborted(request: Request): Promise<void> {
  if (!request.headers.has('transfer-encoding')) return;
  await new Promise(setImmediate);
  if (request.signal.aborted) throw createInvalidError('Request body ended before it was complete');
}

function parseJsonObject(text: string, max: number): Fields {
  const excess = findJsonComplexityProblem(text, max);
  if (excess !== undefined) throw createInvalidError(excess);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new NoteError('invalid', httpMessage.malformedJson, { cause: error });
  }
  if (!isObject(value)) throw createInvalidError(httpMessage.notAnObject);
  return value;
}
