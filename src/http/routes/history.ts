import { jsonListOf } from '../../domain/note-stream.ts';
import { parseLimit } from '../../domain/parse.ts';
import type { JsonChunks, NoteStore } from '../../domain/store.ts';
import { jsonHeaders } from '../headers.ts';
import type { LargeAnswers } from '../large-answers.ts';
import type { AddRoute } from '../middleware.ts';
import { splitUrl } from '../url.ts';
import { idOf } from './notes.ts';

/** Adds what answers a note as it was before each of its changes. */
export function addHistory(on: AddRoute, store: NoteStore, large: LargeAnswers): void {
  on('GET', '/api/notes/:id/history', async (c) => {
    const limit = parseLimit(new URLSearchParams(splitUrl(c.req.raw.url).query), maxVersions);
    const chunks = await begun(jsonListOf(store.history(idOf(c), limit)));
    if (c.req.raw.method !== 'HEAD')
      return new Response(large.stream(chunks, { own: chunkBytes }), { headers: jsonHeaders });
    await chunks.close();
    return new Response(null, { headers: jsonHeaders });
  });
}

/** The most versions that one request may ask for. */
export const maxVersions = 10_000;

/** Some versions of about a million characters in all, or one that is longer. */
const chunkBytes = 4 * 1024 * 1024;

/** Texts as bytes. Rejects where the first of them does: nothing has been answered then. */
async function begun(texts: AsyncGenerator<string, void, void>): Promise<JsonChunks> {
  let { value: head } = await texts.next();
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

const encoder = new TextEncoder();
