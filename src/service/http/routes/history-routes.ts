import { streamNoteBatchesAsJson } from '../../../core/json/json-array.ts';
import { parseOptionalLimit } from '../../../core/request-parameters.ts';
import type { JsonChunks, NoteStore } from '../../../core/store.ts';
import type { LargeResponses } from '../large-responses.ts';
import { type AddRoute, splitPathAndQuery } from '../request.ts';
import { jsonHeaders } from '../response-headers.ts';
import { parsePathId } from './notes-routes.ts';

/** Adds the route that lists the earlier versions of a note. */
export function addHistoryRoutes(on: AddRoute, store: NoteStore, large: LargeResponses): void {
  on('GET', '/api/notes/:id/history', async (c) => {
    const limit = parseOptionalLimit(new URLSearchParams(splitPathAndQuery(c.req.raw.url).query), maxHistoryLimit);
    const texts = streamNoteBatchesAsJson(store.history(parsePathId(c), limit));
    const beginning = await readTextUpToStreamLimit(texts); // its failure is an error response
    if (c.req.raw.method === 'HEAD') await texts.return();
    if (c.req.raw.method === 'HEAD') return new Response(null, { headers: jsonHeaders });
    if (beginning.isComplete) return new Response(beginning.text, { headers: jsonHeaders });
    return new Response(await large.openStreamOrThrowBusy(encodeTextsAsChunks(beginning.text, texts)), {
      headers: jsonHeaders,
    });
  });
}

/** A request gets at most this many versions. */
export const maxHistoryLimit = 10_000;

/** Longer histories, in characters, are sent as they are read. */
const maxUnstreamedLength = 1024 * 1024;

type Texts = AsyncGenerator<string, void, void>;

async function readTextUpToStreamLimit(texts: Texts): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  let text = '';
  while (text.length < maxUnstreamedLength) {
    const { value, done } = await texts.next();
    if (done) return { text, isComplete: true };
    text += value;
  }
  return { text, isComplete: false };
}

const encoder = new TextEncoder();

function encodeTextsAsChunks(beginning: string, texts: Texts): JsonChunks {
  let head: string | undefined = beginning;
  return {
    async next() {
      const text = head ?? (await texts.next()).value;
      head = undefined;
      return text === undefined ? undefined : encoder.encode(text);
    },
    async close() {
      await texts.return();
    },
  };
}
