/** Prints how long our readers of long JSON take, beside `JSON.parse` of the same bytes. */
import { streamJsonElementTextBatches, streamUncheckedNoteBatchesFromJson } from '../src/core/json/json-array.ts';
import type { Note } from '../src/core/note.ts';
import { IncrementalListParser } from '../src/service/search/incremental-list-parser.ts';
import { createUnstoredNote } from '../test/support/sample-notes.ts';

const mebibyte = 1024 * 1024;
const chunkBytes = 64 * 1024;

function createNote(id: number, content = 'Some text, with [brackets], {braces} and "quotes", é 漢\n'.repeat(9)): Note {
  const time = new Date(1.7e12 + id).toISOString();
  return {
    id,
    ...createUnstoredNote({ title: `Note ${id}`, content, color: 'info', createdAt: time, updatedAt: time }),
  };
}

const createNotes = (count: number) => Array.from({ length: count }, (_, index) => createNote(index + 1));

const encodeNotesAsJson = (notes: readonly Note[]) => new TextEncoder().encode(JSON.stringify(notes));

async function* streamInChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function measureMs(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const readToEnd = async (batches: AsyncIterable<readonly unknown[]>) => {
  let count = 0;
  for await (const batch of batches) count += batch.length;
  return count;
};

function printTimeAndRatio(name: string, ms: number, allParsedMs: number): void {
  console.log(`${name}: ${ms.toFixed(1)} ms, ${((100 * ms) / allParsedMs).toFixed(0)} % of JSON.parse`);
}

const long = encodeNotesAsJson(createNotes(150_000));
const allParsedMs = await measureMs(() => JSON.parse(new TextDecoder().decode(long)));
console.log(`${Math.round(long.length / mebibyte)} MB`);
printTimeAndRatio(
  'split into elements',
  await measureMs(() => readToEnd(streamJsonElementTextBatches(streamInChunks(long)))),
  allParsedMs,
);
printTimeAndRatio(
  'split and parsed',
  await measureMs(() => readToEnd(streamUncheckedNoteBatchesFromJson(streamInChunks(long)))),
  allParsedMs,
);

const notes = createNotes(10_000);
const list = new IncrementalListParser();
list.parseAndReplaceNotes(encodeNotesAsJson(notes));
const sums = { changedOnly: 0, allParsed: 0 };
const rounds = 20;
for (let round = 0; round < rounds; round++) {
  notes[round * 401] = createNote(round * 401 + 1, `Changed ${round}`);
  const bytes = encodeNotesAsJson(notes);
  sums.changedOnly += await measureMs(() => list.parseAndReplaceNotes(bytes));
  sums.allParsed += await measureMs(() => JSON.parse(new TextDecoder().decode(bytes)));
}
printTimeAndRatio('one change among 10,000 notes', sums.changedOnly / rounds, sums.allParsed / rounds);
