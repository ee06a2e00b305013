import { jsonListOf } from '../../domain/note-stream.ts';
import { parseLimit } from '../../domain/parse.ts';
import type { JsonChunks, NoteStore } from '../../domain/store.ts';
import { jsonHeaders } from '../headers.ts';
import type { LargeAnswers } from '../large-answers.ts';
import type { AddRoute } from '../middleware.ts';
import { splitUrl } from '../url.ts';
import { idOf } from './notes.ts';

/** Adds the versions of a note. */
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

/** Limit of versions per request. */
export const maxVersions = 10_000;

/** Estimated memory of a chunk: versions of about a million characters in all, or a longer one. */
const chunkBytes = 4 * 1024 * 1024;

/** Encodes texts. Awaits the first one, so that its failure still becomes an error response. */
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
