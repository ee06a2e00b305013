/** One note of a list: its id, and its JSON text. */
export interface Entry {
  readonly id: number;
  readonly json: string;
}

/** The JSON of neighbouring notes, a comma before each. */
export interface Segment {
  /** Rising. */
  readonly ids: readonly number[];
  /** For each id, where its JSON ends. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the hashes of its notes, modulo 2^64. */
  readonly sum: bigint;
}

const segmentBytes = 64 * 1024;

const encoder = new TextEncoder();

/** Notes in order of id as segments: a piece of memory for each, as one for each note would be let go of at once. */
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

/** The segments with the changes, which are in order of id; those without a change stay as they are. */
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

/** A note's id and its JSON with the comma before it. */
type Piece = readonly [id: number, bytes: Uint8Array<ArrayBuffer>];

/** The notes of a segment with the changes, in order of id. */
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

/** Segments of at most so many notes, and not much more than `segmentBytes`. */
function* divided(pieces: readonly Piece[], segmentNotes: number): Generator<Segment, void, void> {
  let [start, bytes] = [0, 0];
  for (const [index, [, piece]] of pieces.entries()) {
    bytes += piece.length;
    if (index + 1 - start < segmentNotes && bytes < segmentBytes) continue;
    yield joined(pieces.slice(start, index + 1));
    [start, bytes] = [index + 1, 0];
  }
  if (start < pieces.length) yield joined(pieces.slice(start));
}

function joined(pieces: readonly Piece[]): Segment {
  let end = 0;
  const ends = pieces.map(([, piece]) => {
    end += piece.length;
    return end;
  });
  const ids = pieces.map(([id]) => id);
  const bytes = new Uint8Array(end); // the collector does not see what the runtime's own joining takes: 100 MB more
  for (const [index, [, piece]] of pieces.entries()) bytes.set(piece, ends[index - 1]);
  return segmentOf(ids, ends, bytes);
}

function segmentOf(ids: readonly number[], ends: readonly number[], bytes: Uint8Array<ArrayBuffer>): Segment {
  let sum = 0n;
  for (const [index, end] of ends.entries()) sum += Bun.hash.xxHash64(bytes.subarray(ends[index - 1] ?? 0, end));
  return { ids, ends, bytes, sum: BigInt.asUintN(64, sum) };
}

/** Names what segments hold, however it is divided. */
export function revisionOf(segments: readonly Segment[]): string {
  let [count, sum] = [0, 0n];
  for (const segment of segments) {
    count += segment.ids.length;
    sum += segment.sum;
  }
  return `${count}-${BigInt.asUintN(64, sum).toString(36)}`;
}

export const sizeOf = (segments: readonly Segment[]) => segments.reduce((size, { bytes }) => size + bytes.length, 0);

/** Brackets around the segments; the first note goes without its comma. */
export function partsOf(segments: readonly Segment[]): (string | Uint8Array<ArrayBuffer>)[] {
  const [first, ...rest] = segments.map(({ bytes }) => bytes);
  return first === undefined ? ['[]'] : ['[', first.subarray(1), ...rest, ']'];
}
