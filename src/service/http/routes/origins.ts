import { parseAfter } from '../../../core/parse.ts';
import type { PortableStore } from '../../../core/store.ts';
import { jsonAnswer } from '../headers.ts';
import type { AddRoute } from '../middleware.ts';
import { splitUrl } from '../url.ts';

/** Adds the origins of notes, in pages. */
export function addOriginsRoutes(on: AddRoute, store: Pick<PortableStore, 'origins'>): void {
  on('GET', '/origins', async (c) => {
    const after = parseAfter(new URLSearchParams(splitUrl(c.req.raw.url).query));
    return Response.json((await store.origins(after)) ?? [], jsonAnswer);
  });
}
