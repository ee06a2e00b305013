/** Searches lists on a thread of its own: see searches.ts. */

import { notesIn } from '../domain/note-stream.ts';
import { newestFirst } from '../domain/sort.ts';
import { messageOf } from '../shared/thrown.ts';
import { Best, type Wanted } from './best.ts';
import { excerptsOf } from './excerpts.ts';
import { KeptList } from './kept-list.ts';

declare const self: Worker;

/** One search. */
export interface SearchTask extends Wanted {
  /** Asks for excerpts, whose JSON takes no more, instead of notes. */
  readonly excerptCharacters?: number;
}

/** Searches of one list: the one that is kept, a new one, or one that comes in chunks when they are asked for. */
export interface SearchOrder {
  readonly tasks: readonly SearchTask[];
  readonly list: 'kept' | 'chunks' | Uint8Array<ArrayBuffer>;
}

/** What the thread is told: an order; when it asks for a chunk, that chunk, that there is none, or that no more will come. */
export type SearchMessage = SearchOrder | Uint8Array<ArrayBuffer> | 'end' | 'broken';

/** The best notes or excerpts as a JSON array, how many these are, and how many notes match in all. */
export interface FoundJson {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly total: number;
}

/**
 * What the thread says: that it wants the next chunk; what a task has found, by its place in the order; or how the order
 * ended, and whether the list is kept.
 */
export type SearchReply =
  | 'next'
  | { readonly task: number; readonly found: FoundJson }
  | { readonly isKept: boolean }
  | { readonly failure: string };

/** Longer lists are not kept, in bytes of JSON. In memory a list takes three to five times as much. */
const maxKeptBytes = 32 * 1024 * 1024;

let kept: KeptList | undefined;
let takeChunk: ((chunk: Uint8Array<ArrayBuffer> | 'end' | 'broken') => void) | undefined;

self.onmessage = ({ data }: MessageEvent<SearchMessage>) => {
  if (typeof data === 'object' && 'tasks' in data) void carryOut(data);
  else takeChunk?.(data);
};

const say = (reply: SearchReply, transferred: ArrayBuffer[] = []) => self.postMessage(reply, transferred);

async function carryOut({ tasks, list }: SearchOrder): Promise<void> {
  try {
    if (list === 'chunks') await searchChunks(tasks);
    else searchKept(tasks, list);
    say({ isKept: kept !== undefined });
  } catch (error) {
    kept = undefined;
    say({ failure: messageOf(error) });
  }
}

function searchKept(tasks: readonly SearchTask[], list: 'kept' | Uint8Array<ArrayBuffer>): void {
  kept ??= new KeptList();
  if (list !== 'kept') kept.update(list);
  for (const [task, wanted] of tasks.entries()) {
    const best = new Best(wanted);
    best.add(kept.notes);
    tell(task, wanted, best);
  }
}

/** Keeps the list when it has ended soon enough; else searches it as it comes. */
async function searchChunks(tasks: readonly SearchTask[]): Promise<void> {
  const held: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await nextChunk();
    if (chunk === undefined) return searchKept(tasks, Buffer.concat(held));
    held.push(chunk);
    bytes += chunk.length;
    if (bytes > maxKeptBytes) break;
  }
  kept = undefined;
  const bests = tasks.map((wanted) => ({ wanted, best: new Best(wanted) }));
  for await (const notes of notesIn(chunksAfter(held))) {
    const sorted = notes.toSorted(newestFirst);
    for (const { best } of bests) best.add(sorted);
  }
  for (const [task, { wanted, best }] of bests.entries()) tell(task, wanted, best);
}
function tell(task: number, { query, excerptCharacters }: SearchTask, { notes, total }: Best): void {
  const shown = excerptCharacters === undefined ? notes : excerptsOf(notes, query, excerptCharacters);
  const json = new TextEncoder().encode(JSON.stringify(shown));
  say({ task, found: { json, count: shown.length, total } }, [json.buffer]);
}

/** Lets go of those that are held. */
async function* chunksAfter(held: Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  for (let chunk = held.shift() ?? (await nextChunk()); chunk; chunk = held.shift() ?? (await nextChunk())) yield chunk;
}

/** The next chunk of the list; undefined at its end. Throws when no more will come. */
async function nextChunk(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer> | 'end' | 'broken'>();
  takeChunk = resolve;
  say('next');
  const chunk = await promise;
  if (chunk === 'broken') throw new Error('The list broke off');
  return chunk === 'end' ? undefined : chunk;
}
