/** The search thread; see searches.ts. */

import { notesIn } from '../../core/long-json.ts';
import { newestFirst } from '../../core/sort.ts';
import { messageOf } from '../../core/tools/thrown.ts';
import { Best, type FoundJson, foundJson, type SearchTask } from './best.ts';
import { ParsedList } from './parsed-list.ts';

declare const self: Worker;

/** Searches of one list: the cached one, a new one, or one requested in chunks. */
interface SearchOrder {
  readonly tasks: readonly SearchTask[];
  readonly list: 'cached' | 'chunks' | Uint8Array<ArrayBuffer>;
}

/** Messages to the thread: an order; or the reply to `next`: a chunk, the end, or `broken` if the rest is lost. */
export type SearchMessage = SearchOrder | Uint8Array<ArrayBuffer> | 'end' | 'broken';

/**
 * Messages from the thread: a request for the next chunk; the result of a task, by index; or the end of the order, and
 * whether the list is cached.
 */
export type SearchReply =
  | 'next'
  | { readonly task: number; readonly found: FoundJson }
  | { readonly isCached: boolean }
  | { readonly failure: string };

/** Limit of cached lists, in bytes of JSON. In memory they take three to five times as much. */
const maxCachedBytes = 32 * 1024 * 1024;

let cached: ParsedList | undefined;
let takeChunk: ((chunk: Uint8Array<ArrayBuffer> | 'end' | 'broken') => void) | undefined;

self.onmessage = ({ data }: MessageEvent<SearchMessage>) => {
  if (typeof data === 'object' && 'tasks' in data) void carryOut(data);
  else takeChunk?.(data);
};

const send = (reply: SearchReply, transferred: ArrayBuffer[] = []) => self.postMessage(reply, transferred);

async function carryOut({ tasks, list }: SearchOrder): Promise<void> {
  try {
    if (list === 'chunks') await searchChunks(tasks);
    else searchCached(tasks, list);
    send({ isCached: cached !== undefined });
  } catch (error) {
    cached = undefined;
    send({ failure: messageOf(error) });
  }
}

function searchCached(tasks: readonly SearchTask[], list: 'cached' | Uint8Array<ArrayBuffer>): void {
  cached ??= new ParsedList();
  if (list !== 'cached') cached.update(list);
  for (const [task, wanted] of tasks.entries()) {
    const best = new Best(wanted);
    best.add(cached.notes);
    sendFound(task, wanted, best);
  }
}

/** Keeps the list if it is short enough, otherwise searches it as it arrives. */
async function searchChunks(tasks: readonly SearchTask[]): Promise<void> {
  const held: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await nextChunk();
    if (chunk === undefined) return searchCached(tasks, Buffer.concat(held));
    held.push(chunk);
    bytes += chunk.length;
    if (bytes > maxCachedBytes) break;
  }
  cached = undefined;
  const bests = tasks.map((wanted) => ({ wanted, best: new Best(wanted) }));
  for await (const notes of notesIn(chunksAfter(held))) {
    const sorted = notes.toSorted(newestFirst);
    for (const { best } of bests) best.add(sorted);
  }
  for (const [task, { wanted, best }] of bests.entries()) sendFound(task, wanted, best);
}

function sendFound(task: number, wanted: SearchTask, best: Best): void {
  const found = foundJson(best, wanted);
  send({ task, found }, [found.json.buffer]);
}

/** Yields the held chunks, releasing each, then the rest. */
async function* chunksAfter(held: Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  for (let chunk = held.shift() ?? (await nextChunk()); chunk; chunk = held.shift() ?? (await nextChunk())) yield chunk;
}

/** Requests the next chunk; undefined at the end. Throws if the list breaks off. */
async function nextChunk(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer> | 'end' | 'broken'>();
  takeChunk = resolve;
  send('next');
  const chunk = await promise;
  if (chunk === 'broken') throw new Error('The list broke off');
  return chunk === 'end' ? undefined : chunk;
}
