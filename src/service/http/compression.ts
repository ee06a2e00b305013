import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ListBody } from '../../core/store.ts';
import { createSinglePartListBody } from './large-responses.ts';

/** Caches compressed copies of lists as long as the lists live. Each copy is made once, on another thread. */
export class CompressedListCache {
  readonly #copies = new WeakMap<ListBody, Map<ContentCoding, Promise<ListBody>>>();
  readonly #canCreate: () => boolean;
  #isCreating = false;
  /**
   * Holds the list that is being compressed. All lists use this one buffer, since a buffer per list became garbage
   * faster than it was collected.
   */
  #joinedList = Buffer.alloc(0);

  /** `canCreate` says whether another copy fits into memory. */
  constructor(canCreate: () => boolean) {
    this.#canCreate = canCreate;
  }

  /**
   * Returns the compressed copy of a list, and begins it if necessary. Returns undefined if none can be made now,
   * because another one is being made or memory is short: then the list is sent uncompressed.
   */
  findOrTryToCreateCopy(list: ListBody, coding: ContentCoding): Promise<ListBody> | undefined {
    const copies = this.#copies.get(list) ?? new Map<ContentCoding, Promise<ListBody>>();
    const known = copies.get(coding);
    if (known || this.#isCreating || !this.#canCreate()) return known;
    const making = this.#createCopy(list, coding);
    copies.set(coding, making);
    this.#copies.set(list, copies);
    making.catch(() => copies.delete(coding));
    return making;
  }

  async #createCopy(list: ListBody, coding: ContentCoding): Promise<ListBody> {
    this.#isCreating = true;
    try {
      return createSinglePartListBody(new Uint8Array(await compressBytes(coding, this.#joinIntoSharedBuffer(list))));
    } finally {
      this.#isCreating = false;
    }
  }

  #joinIntoSharedBuffer({ size, parts }: ListBody): Uint8Array<ArrayBuffer> {
    if (this.#joinedList.length < size) this.#joinedList = Buffer.alloc(size);
    let at = 0;
    for (const part of parts) {
      this.#joinedList.set(part, at);
      at += part.length;
    }
    return this.#joinedList.subarray(0, size);
  }
}

type CompressFunction = (bytes: Uint8Array<ArrayBuffer>, level: number) => Promise<Uint8Array>;

const brotliBytes = promisify(brotliCompress);
const gzipBytes = promisify(gzip);
const quality = constants.BROTLI_PARAM_QUALITY;

/** The order is that of preference. `level` is for lists, which change, and `best` for files, which do not. */
const coders = {
  zstd: { stream: 'zstd', level: 3, best: 19, code: (bytes, level) => Bun.zstdCompress(bytes, { level }) },
  br: {
    stream: 'brotli',
    level: 4,
    best: 11,
    code: (bytes, level) => brotliBytes(bytes, { params: { [quality]: level } }),
  },
  gzip: { stream: 'gzip', level: 6, best: 9, code: (bytes, level) => gzipBytes(bytes, { level }) },
} as const satisfies Record<string, { stream: string; level: number; best: number; code: CompressFunction }>;

export type ContentCoding = keyof typeof coders;

const isContentCoding = (name: string): name is ContentCoding => Object.hasOwn(coders, name);
export const contentCodings: readonly ContentCoding[] = Object.keys(coders).filter(isContentCoding);

/** Compresses on another thread. The best level is slow. */
export function compressBytes(coding: ContentCoding, bytes: Uint8Array<ArrayBuffer>, at: 'level' | 'best' = 'level') {
  const coder = coders[coding];
  return coder.code(bytes, coder[at]);
}

/** Creates a compressing stream. */
export function createCompressionStream(coding: ContentCoding): CompressionStream {
  const { stream, level } = coders[coding];
  return new CompressionStream(stream, { level });
}

/** Creates a decompressing stream. */
export function createDecompressionStream(coding: ContentCoding): DecompressionStream {
  return new DecompressionStream(coders[coding].stream);
}

/**
 * Chooses the best coding that an `Accept-Encoding` header allows (RFC 9110, 12.5.3); `order` breaks ties. Undefined:
 * no coding. `*` stands for gzip alone: a client that does not name the others may not know them.
 */
export function chooseCoding(
  accepted: string | null,
  order: readonly ContentCoding[] = contentCodings,
): ContentCoding | undefined {
  if (accepted === null) return undefined;
  const weights = new Map(accepted.split(',').map(parseCodingAndWeightOrZero));
  const getWeight = (coding: ContentCoding) =>
    weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : undefined) ?? 0;
  const plain = weights.get('identity') ?? 0;
  const best = Math.max(...contentCodings.map(getWeight));
  return best > 0 && best >= plain ? order.find((coding) => getWeight(coding) === best) : undefined;
}

function parseCodingAndWeightOrZero(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [coding, Number(weight) || 0];
}
