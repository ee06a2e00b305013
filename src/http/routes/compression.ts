import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Content codings, the preferred one first: how to code bytes on another thread, and how to code a stream. */
const coders = {
  zstd: { stream: 'zstd', level: 3, code: (bytes) => Bun.zstdCompress(bytes, { level: 3 }) },
  br: { stream: 'brotli', level: 4, code: (bytes) => brotli(bytes, brotliOptions) },
  gzip: { stream: 'gzip', level: 6, code: (bytes) => gzipped(bytes) },
} as const satisfies Record<
  string,
  { stream: string; level: number; code: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array> }
>;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

export type Compression = keyof typeof coders;

const isCoding = (name: string): name is Compression => Object.hasOwn(coders, name);
export const codings: readonly Compression[] = Object.keys(coders).filter(isCoding);

/** Codes bytes on another thread. */
export const encode = (coding: Compression, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  coders[coding].code(bytes);

/** Codes what passes through. */
export function encoder(coding: Compression): CompressionStream {
  const { stream, level } = coders[coding];
  return new CompressionStream(stream, { level });
}

/**
 * The best coding that an `Accept-Encoding` header allows (RFC 9110, 12.5.3), of equally good ones the first in `order`;
 * undefined means as it is.
 */
export function codingFor(accepted: string | null, order: readonly Compression[] = codings): Compression | undefined {
  if (accepted === null) return undefined;
  const weights = new Map(accepted.split(',').map(weighted));
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const plain = weights.get('identity') ?? 0;
  const best = Math.max(...codings.map(weightOf));
  return best > 0 && best >= plain ? order.find((coding) => weightOf(coding) === best) : undefined;
}

function weighted(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [coding, Number(weight) || 0];
}
