import type { ListBody } from '../domain/store.ts';

/** A note of a list: its id and its JSON. */
export interface Entry {
  readonly id: number;
  readonly json: string;
}

/** The JSON of consecutive notes, each after a comma. */
export interface Segment {
  /** In ascending order. */
  readonly ids: readonly number[];
  /** End of the JSON of each id, in bytes. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Sum of the hashes of the notes, modulo 2^64. */
  readonly sum: bigint;
}

const segmentBytes = 64 * 1024;

const encoder = new TextEncoder();

/** Encodes notes in order of id. Each segment is one allocation; one per note would burden the garbage collector. */
export function* encoded(entries: Iterable<Entry>, segmentNotes: number): Generator<Segment, void, void> {
  let [ids, ends, text, end]: [number[], number[], string, number] = [[], [], '', 0];
  for (const { id, json } of entries) {
    ids.push(id);
    text += `,${json}`;
    end += 1 + Buffer.byteLength(json);
    ends.push(end);
    if (ids.length < segmentNotes && end < segmentBytes) continue;
    yield segmentOf(ids, ends, encoder.encode(text));
    [ids, ends, text, end] = [[], [], '', 0];
  }
  if (ids.length > 0) yield segmentOf(ids, ends, encoder.encode(text));
}

type Change = readonly [id: number, json: string | undefined];

/** Merges changes, in order of id, into segments. Keeps segments without changes. */
export function* merged(
  segments: readonly Segment[],
  changes: readonly Change[],
  segmentNotes: number,
): Generator<Segment, void, void> {
  let from = 0;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]?.ids[0] ?? Number.POSITIVE_INFINITY;
    let to = from;
    while (to < changes.length && (changes[to]?.[0] ?? next) < next) to++;
    const some = changes.slice(from, to).filter(([id, json]) => json !== undefined || segment.ids.includes(id));
    if (some.length === 0) yield segment;
    else yield* divided(applied(segment, some), segmentNotes);
    from = to;
  }
  if (from < changes.length) yield* divided(applied(undefined, changes.slice(from)), segmentNotes);
}

/** An id and the JSON of its note after a comma. */
type Piece = readonly [id: number, bytes: Uint8Array<ArrayBuffer>];

/** Applies changes to the notes of a segment, in order of id. */
function applied(segment: Segment | undefined, changes: readonly Change[]): Piece[] {
  const pieces = new Map<number, Uint8Array<ArrayBuffer> | undefined>(segment ? piecesOf(segment) : []);
  const last = segment?.ids.at(-1) ?? 0;
  let isInOrder = true;
  for (const [id, json] of changes) {
    if (id < last && !pieces.has(id)) isInOrder = false;
    pieces.set(id, json === undefined ? undefined : encoder.encode(`,${json}`));
  }
  const listed = [...pieces].flatMap(([id, bytes]): Piece[] => (bytes === undefined ? [] : [[id, bytes]]));
  return isInOrder ? listed : listed.sort(([one], [other]) => one - other);
}

function* piecesOf({ ids, ends, bytes }: Segment): Generator<Piece, void, void> {
  for (const [index, id] of ids.entries()) yield [id, bytes.subarray(ends[index - 1] ?? 0, ends[index])];
}

/**
 * Divides notes into segments of at most `segmentNotes` notes and not much more than `segmentBytes`. Evenly: where notes
 * are inserted before others, full segments would each leave a segment of one note behind.
 */
function* divided(pieces: readonly Piece[], segmentNotes: number): Generator<Segment, void, void> {
  const size = pieces.reduce((sum, [, { length }]) => sum + length, 0);
  const [maxNotes, maxBytes] = [equalShare(pieces.length, segmentNotes), equalShare(size, segmentBytes)];
  let [start, bytes] = [0, 0];
  for (const [index, [, piece]] of pieces.entries()) {
    bytes += piece.length;
    if (index + 1 - start < maxNotes && bytes < maxBytes) continue;
    yield joined(pieces.slice(start, index + 1));
    [start, bytes] = [index + 1, 0];
  }
  if (start < pieces.length) yield joined(pieces.slice(start));
}

/** Divides a total into the fewest equal shares of at most `max`; returns one share. */
const equalShare = (total: number, max: number) => total / Math.ceil(total / max);

function joined(pieces: readonly Piece[]): Segment {
  let end = 0;
  const ends = pieces.map(([, piece]) => {
    end += piece.length;
    return end;
  });
  const ids = pieces.map(([id]) => id);
  const bytes = new Uint8Array(end); // the garbage collector does not count Bun.concatArrayBuffers: 100 MB more
  for (const [index, [, piece]] of pieces.entries()) bytes.set(piece, ends[index - 1]);
  return segmentOf(ids, ends, bytes);
}

function segmentOf(ids: readonly number[], ends: readonly number[], bytes: Uint8Array<ArrayBuffer>): Segment {
  let sum = 0n;
  for (const [index, end] of ends.entries()) sum += Bun.hash.xxHash64(bytes.subarray(ends[index - 1] ?? 0, end));
  return { ids, ends, bytes, sum: BigInt.asUintN(64, sum) };
}

/** Returns a revision of the content, which does not depend on its division into segments. */
export function revisionOf(segments: readonly Segment[]): string {
  let [count, sum] = [0, 0n];
  for (const segment of segments) {
    count += segment.ids.length;
    sum += segment.sum;
  }
  return `${count}-${BigInt.asUintN(64, sum).toString(36)}`;
}

export const sizeOf = (segments: readonly Segment[]) => segments.reduce((size, { bytes }) => size + bytes.length, 0);

/** The JSON array of the notes in segments. */
export class SegmentsBody implements ListBody {
  readonly size: number;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  #whole: Blob | undefined;

  constructor(segments: readonly Segment[]) {
    const [first = comma, ...rest] = segments.map(({ bytes }) => bytes);
    this.parts = [opening, first.subarray(1), ...rest, closing];
    this.size = this.parts.reduce((size, { length }) => size + length, 0);
  }

  whole(): Blob {
    this.#whole ??= new Blob([...this.parts]);
    return this.#whole;
  }
}

const [opening, comma, closing] = [encoder.encode('['), encoder.encode(','), encoder.encode(']')];
