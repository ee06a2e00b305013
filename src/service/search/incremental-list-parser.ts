import type { Note } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';

/** A block has consecutive notes of a list, and their JSON without the trailing comma. */
interface Block {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly notes: readonly Note[];
}

const blockNotes = 64;
const closingBracket = ']'.charCodeAt(0);

/**
 * Parses a list of notes again and again, each time only the blocks that have changed. Unchanged notes stay the same
 * objects, so that their folded texts stay cached. After one change among 10,000 notes this takes 4 % of the time of
 * parsing them all (`npx bun bench/json-lists.ts`).
 */
export class IncrementalListParser {
  /** The newest note is first. */
  notes: readonly Note[] = [];
  #blocks: readonly Block[] = [];

  /** Replaces the list by one in JSON, and parses only the blocks that have changed. Throws `SyntaxError`. */
  parseAndReplaceNotes(list: Uint8Array<ArrayBuffer>): void {
    const bytes = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
    if (bytes.at(-1) !== closingBracket) throw new SyntaxError('The list ended before it was complete');
    this.#blocks = [...iterateReusedAndParsedBlocks(this.#blocks, bytes)];
    this.notes = this.#blocks
      .flatMap(({ notes }) => notes)
      .reverse() // mostly sorted then
      .sort(compareNewestFirst);
  }
}

/**
 * Splits a list into blocks; reuses old blocks whose bytes recur, and skips those that do not.
 *
 * Example: the old blocks are A, B and C, and a note in B has changed. The bytes of A recur, so A is reused. Those of B
 * do not: the list up to the first note of C is parsed into new blocks. Then the bytes of C recur.
 */
function* iterateReusedAndParsedBlocks(old: readonly Block[], list: Buffer<ArrayBuffer>): Generator<Block, void, void> {
  const end = list.length - 1;
  let index = 0;
  for (let at = 1; at < end; ) {
    const block = old[index];
    const next = at + (block?.bytes.length ?? 0);
    if (block && next <= end && block.bytes.equals(list.subarray(at, next))) {
      yield { bytes: list.subarray(at, next), notes: block.notes };
      at = next + 1;
      index++;
      continue;
    }
    const following = old[index + 1];
    const start = following === undefined ? -1 : getOffsetBeforeNoteOrMinusOne(following.notes, list, at - 1);
    const stop = start < 0 ? end : start;
    const skipped = start < 0 ? old.slice(index) : old.slice(index, index + 1);
    if (stop > at) yield* iterateParsedBlocks(list.subarray(at, stop), skipped);
    index += skipped.length;
    at = stop + 1;
  }
}

/**
 * Finds the offset of the comma before the first of these notes; -1 if the list does not have it, or there is none. A
 * match cannot lie elsewhere than between two notes:
 * - It does not begin in a string. JSON escapes quotes in strings, so the quote after `{` would end the string, and a
 *   comma, a colon or a bracket would have to follow instead of `id`.
 * - Notes hold neither arrays nor objects, so a comma before a brace separates notes of the list.
 *
 * A note whose JSON does not begin with its id is not found. Then the callers parse the rest of the list as one block,
 * which is slower and has the same result.
 */
function getOffsetBeforeNoteOrMinusOne([first]: readonly Note[], list: Buffer, from: number): number {
  return first === undefined ? -1 : list.indexOf(`,{"id":${first.id},"`, from);
}

/** Parses consecutive notes into blocks. Notes that equal one of the blocks `before` stay the same objects. */
function* iterateParsedBlocks(bytes: Buffer<ArrayBuffer>, before: readonly Block[]): Generator<Block, void, void> {
  const known = new Map(before.flatMap(({ notes }) => notes.map((note) => [note.id, note] as const)));
  const read: Note[] = JSON.parse(`[${bytes.toString()}]`);
  const notes = read.map((note) => {
    const same = known.get(note.id);
    return same !== undefined && Bun.deepEquals(same, note) ? same : note;
  });
  let from = 0;
  for (let first = 0; from < bytes.length; first += blockNotes) {
    const start = getOffsetBeforeNoteOrMinusOne(notes.slice(first + blockNotes, first + blockNotes + 1), bytes, from);
    const to = start < 0 ? bytes.length : start;
    yield { bytes: bytes.subarray(from, to), notes: notes.slice(first, start < 0 ? undefined : first + blockNotes) };
    from = to + 1;
  }
}
