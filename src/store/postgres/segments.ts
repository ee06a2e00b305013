import type { ListBody } from '../../domain/store.ts';
import type { Entry } from '../row.ts';

/** The JSON of the notes of a list whose ids are in one range, each after a comma. */
export interface Segment {
  /** In ascending order. */
  readonly ids: readonly number[];
  /** End of the JSON of each id, in bytes. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Sum of the hashes of the notes, modulo 2^64. */
  readonly sum: bigint;
}

/** The segments of a list by range, in ascending order. */
export type Segments = ReadonlyMap<number, Segment>;

const rangeOf = (id: number) => Math.floor(id / 64);

const encoder = new TextEncoder();

/** An id and the JSON of its note after a comma. */
type Piece = readonly [id: number, bytes: Uint8Array<ArrayBuffer>];

const pieceOf = ({ id, json }: Entry): Piece => [id, encoder.encode(`,${json}`)];

/** Encodes notes in order of id. */
export function* encoded(entries: Iterable<Entry>): Generator<[range: number, Segment], void, void> {
  let pieces: Piece[] = [];
  let range = 0;
  for (const entry of entries) {
    const next = rangeOf(entry.id);
    if (next !== range && pieces.length > 0) {
      yield [range, segmentOf(pieces)];
      pieces = [];
    }
    range = next;
    pieces.push(pieceOf(entry));
  }
  if (pieces.length > 0) yield [range, segmentOf(pieces)];
}

/** Applies changes, by id; undefined removes a note. Returns the same segments if they remain equal. */
export function merged(segments: Segments, changes: ReadonlyMap<number, string | undefined>): Segments {
  const result = new Map(segments);
  let isChanged = false;
  for (const [range, some] of Map.groupBy(changes, ([id]) => rangeOf(id))) {
    const segment = segments.get(range);
    const pieces = new Map(segment && piecesOf(segment));
    let isAffected = false;
    for (const [id, json] of some) {
      if (json !== undefined) pieces.set(...pieceOf({ id, json }));
      else if (!pieces.delete(id)) continue;
      isAffected = true;
    }
    if (!isAffected) continue;
    isChanged = true;
    if (pieces.size > 0) result.set(range, segmentOf([...pieces].sort(byId)));
    else result.delete(range);
  }
  return isChanged ? new Map([...result].sort(byId)) : segments;
}

const byId = ([one]: readonly [number, unknown], [other]: readonly [number, unknown]) => one - other;

function* piecesOf({ ids, ends, bytes }: Segment): Generator<Piece, void, void> {
  for (const [index, id] of ids.entries()) yield [id, bytes.subarray(ends[index - 1] ?? 0, ends[index])];
}

/** Copies the pieces into one allocation; one per note would burden the garbage collector. */
function segmentOf(pieces: readonly Piece[]): Segment {
  let [end, sum] = [0, 0n];
  const ends = pieces.map(([, piece]) => {
    end += piece.length;
    sum += Bun.hash.xxHash64(piece);
    return end;
  });
  const bytes = new Uint8Array(end); // the garbage collector does not count Bun.concatArrayBuffers: 100 MB more
  for (const [index, [, piece]] of pieces.entries()) bytes.set(piece, ends[index - 1]);
  return { ids: pieces.map(([id]) => id), ends, bytes, sum: BigInt.asUintN(64, sum) };
}

/** Returns a revision of the content, which does not depend on its division into segments. */
export function revisionOf(segments: Segments): string {
  let [count, sum] = [0, 0n];
  for (const segment of segments.values()) {
    count += segment.ids.length;
    sum += segment.sum;
  }
  return `${count}-${BigInt.asUintN(64, sum).toString(36)}`;
}

export const sizeOf = (segments: Segments) => segments.values().reduce((size, { bytes }) => size + bytes.length, 0);

/** The JSON array of the notes in segments. */
export class SegmentsBody implements ListBody {
  readonly size: number;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  #whole: Blob | undefined;

  constructor(segments: Segments) {
    const [first = comma, ...rest] = segments.values().map(({ bytes }) => bytes);
    this.parts = [opening, first.subarray(1), ...rest, closing];
    this.size = this.parts.reduce((size, { length }) => size + length, 0);
  }

  whole(): Blob {
    this.#whole ??= new Blob([...this.parts]);
    return this.#whole;
  }
}

const [opening, comma, closing] = [encoder.encode('['), encoder.encode(','), encoder.encode(']')];
