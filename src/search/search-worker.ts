/** Searches lists on a thread of its own: see searches.ts. */

import type { Note } from '../domain/note.ts';
import { notesIn } from '../domain/note-stream.ts';
import { newestFirst } from '../domain/sort.ts';
import { Best, type Wanted } from './best.ts';
import { excerptsOf } from './excerpts.ts';

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

/** Longer lists are not kept, in bytes of JSON. In memory a list takes two to four times as much. */
const maxKeptBytes = 32 * 1024 * 1024;

/** The newest first, each with what the search has folded of it. */
let kept: readonly Note[] | undefined;
let takeChunk: ((chunk: Uint8Array<ArrayBuffer> | 'end' | 'broken') => void) | undefined;

self.onmessage = ({ data }: MessageEvent<SearchMessage>) => {
  if (typeof data === 'object' && 'tasks' in data) void carryOut(data);
  else takeChunk?.(data);
};

const say = (reply: SearchReply, transferred: ArrayBuffer[] = []) => self.postMessage(reply, transferred);

async function carryOut({ tasks, list }: SearchOrder): Promise<void> {
  try {
    if (list instanceof Uint8Array) keep(JSON.parse(new TextDecoder().decode(list)));
    if (list === 'chunks') await searchChunks(tasks);
    else for (const [task, wanted] of tasks.entries()) tell(task, wanted, searched(kept ?? [], new Best(wanted)));
    say({ isKept: kept !== undefined });
  } catch (error) {
    kept = undefined;
    say({ failure: error instanceof Error ? error.message : String(error) });
  }
}

function searched(notes: readonly Note[], best: Best): Best {
  best.add(notes);
  return best;
}

/** Keeps a list, with what is already folded of notes that are as they were. */
function keep(notes: Note[]): void {
  const known = new Map(kept?.map((note) => [note.id, note]));
  const same = notes.map((note) => {
    const before = known.get(note.id);
    return before !== undefined && Bun.deepEquals(before, note) ? before : note;
  });
  kept = same.reverse().sort(newestFirst); // reversed, most are in order already
}

/** Searches a list as it comes, from where on it is too long to be kept. */
async function searchChunks(tasks: readonly SearchTask[]): Promise<void> {
  const bests = tasks.map((task) => new Best(task));
  const chunks = new Chunks();
  let held: Note[] | undefined = [];
  for await (const notes of notesIn(chunks)) {
    const some = held === undefined ? [...notes] : held;
    if (held !== undefined) for (const note of notes) held.push(note);
    if (held !== undefined && chunks.bytes <= maxKeptBytes) continue;
    held = undefined;
    kept = undefined;
    some.reverse().sort(newestFirst);
    for (const best of bests) best.add(some);
  }
  if (held !== undefined) {
    keep(held);
    for (const best of bests) best.add(kept ?? []);
  }
  for (const [task, wanted] of tasks.entries()) tell(task, wanted, bests[task] as Best);
}

function tell(task: number, { query, excerptCharacters }: SearchTask, { notes, total }: Best): void {
  const shown = excerptCharacters === undefined ? notes : excerptsOf(notes, query, excerptCharacters);
  const json = new TextEncoder().encode(JSON.stringify(shown));
  say({ task, found: { json, count: shown.length, total } }, [json.buffer]);
}

/** The chunks of a list, each asked for when it is needed. Throws when no more will come. */
class Chunks implements AsyncIterable<Uint8Array> {
  bytes = 0;

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<Uint8Array | 'end' | 'broken'>();
      takeChunk = resolve;
      say('next');
      const chunk = await promise;
      if (chunk === 'end') return;
      if (chunk === 'broken') throw new Error('The list broke off');
      this.bytes += chunk.length;
      yield chunk;
    }
  }
}
