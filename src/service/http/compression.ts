import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ListBody } from '../../core/store.ts';
import { inOnePart } from './large-answers.ts';

/** Compressed copies of whole lists, kept as long as the lists. Each is made once, on another thread. */
export class CompressedLists {
  readonly #copies = new WeakMap<ListBody, Map<Compression, Promise<ListBody>>>();
  readonly #mayMake: () => boolean;
  #isMaking = false;
  /** The list that is being compressed. Kept, as the garbage of one per list grew faster than it was collected. */
  #joined = Buffer.alloc(0);

  /** `mayMake`: whether memory may be taken for another copy. */
  constructor(mayMake: () => boolean) {
    this.#mayMake = mayMake;
  }

  /** Returns the compressed copy of a list; undefined if none is made now. */
  get(list: ListBody, coding: Compression): Promise<ListBody> | undefined {
    const copies = this.#copies.get(list) ?? new Map<Compression, Promise<ListBody>>();
    const known = copies.get(coding);
    if (known || this.#isMaking || !this.#mayMake()) return known;
    const making = this.#make(list, coding);
    copies.set(coding, making);
    this.#copies.set(list, copies);
    making.catch(() => copies.delete(coding));
    return making;
  }

  async #make(list: ListBody, coding: Compression): Promise<ListBody> {
    this.#isMaking = true;
    try {
      return inOnePart(new Uint8Array(await encode(coding, this.#join(list))));
    } finally {
      this.#isMaking = false;
    }
  }

  #join({ size, parts }: ListBody): Uint8Array<ArrayBuffer> {
    if (this.#joined.length < size) this.#joined = Buffer.alloc(size);
    let at = 0;
    for (const part of parts) {
      this.#joined.set(part, at);
      at += part.length;
    }
    return this.#joined.subarray(0, size);
  }
}

type Code = (bytes: Uint8Array<ArrayBuffer>, level: number) => Promise<Uint8Array>;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const quality = constants.BROTLI_PARAM_QUALITY;

/** Content codings in order of preference, with their usual and best levels. */
const coders = {
  zstd: { stream: 'zstd', level: 3, best: 19, code: (bytes, level) => Bun.zstdCompress(bytes, { level }) },
  br: { stream: 'brotli', level: 4, best: 11, code: (bytes, level) => brotli(bytes, { params: { [quality]: level } }) },
  gzip: { stream: 'gzip', level: 6, best: 9, code: (bytes, level) => gzipped(bytes, { level }) },
} as const satisfies Record<string, { stream: string; level: number; best: number; code: Code }>;

export type Compression = keyof typeof coders;

const isCoding = (name: string): name is Compression => Object.hasOwn(coders, name);
export const codings: readonly Compression[] = Object.keys(coders).filter(isCoding);

/** Compresses on another thread; slow at the best level. */
export function encode(coding: Compression, bytes: Uint8Array<ArrayBuffer>, at: 'level' | 'best' = 'level') {
  const coder = coders[coding];
  return coder.code(bytes, coder[at]);
}

/** Creates a compressing stream. */
export function createEncoder(coding: Compression): CompressionStream {
  const { stream, level } = coders[coding];
  return new CompressionStream(stream, { level });
}

/** Creates a decompressing stream. */
export function createDecoder(coding: Compression): DecompressionStream {
  return new DecompressionStream(coders[coding].stream);
}

/**
 * Chooses the best coding that an `Accept-Encoding` header allows (RFC 9110, 12.5.3); `order` breaks ties. Undefined:
 * no coding. `*` stands for gzip alone: a client that does not name the others may not know them.
 */
export function codingFor(accepted: string | null, order: readonly Compression[] = codings): Compression | undefined {
  if (accepted === null) return undefined;
  const weights = new Map(accepted.split(',').map(weighted));
  const weightOf = (coding: Compression) =>
    weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : undefined) ?? 0;
  const plain = weights.get('identity') ?? 0;
  const best = Math.max(...codings.map(weightOf));
  return best > 0 && best >= plain ? order.find((coding) => weightOf(coding) === best) : undefined;
}

function weighted(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [coding, Number(weight) || 0];
}
