/** Searches lists on a thread of its own: see search-thread.ts. */

import type { Note } from '../domain/note.ts';
import { notesIn } from '../domain/note-stream.ts';
import { type FoundNotes, findNotes, type Wanted } from './search.ts';

declare const self: Worker;

/** The list to search: the one that was searched last, a new one, or one that comes in chunks when they are asked for. */
export interface SearchTask extends Wanted {
  readonly list: 'last' | 'chunks' | Uint8Array<ArrayBuffer>;
}

/** What the thread says: that it wants the next chunk, or how its task ended. */
export type SearchReply = 'next' | { readonly found: FoundNotes } | { readonly failure: string };

/** Kept with what the search has folded of them. */
let last: readonly Note[] = [];
let takeChunk: ((chunk: Uint8Array | undefined) => void) | undefined;

self.onmessage = ({ data }: MessageEvent<SearchTask | Uint8Array | undefined>) => {
  if (data === undefined || data instanceof Uint8Array) takeChunk?.(data);
  else void search(data);
};

const say = (reply: SearchReply) => self.postMessage(reply);

async function search(task: SearchTask): Promise<void> {
  try {
    say({ found: await findNotes(notesOf(task.list), task) });
  } catch (error) {
    say({ failure: error instanceof Error ? error.message : String(error) });
  }
}

async function* notesOf(list: SearchTask['list']): AsyncGenerator<readonly Note[], void, void> {
  if (list === 'chunks') {
    last = [];
    yield* notesIn(chunks());
    return;
  }
  if (list !== 'last') last = JSON.parse(new TextDecoder().decode(list));
  yield last;
}

async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
    takeChunk = resolve;
    say('next');
    const chunk = await promise;
    if (chunk === undefined) return;
    yield chunk;
  }
}
