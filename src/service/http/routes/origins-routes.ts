import { parseAfter } from '../../../core/request-parameters.ts';
import type { PortableStore } from '../../../core/store.ts';
import { type AddRoute, splitUrl } from '../request.ts';
import { jsonResponseInit } from '../response-headers.ts';

/** Adds the route that returns the origins of notes, in pages. */
export function addNoteOriginsRoute(on: AddRoute, store: Pick<PortableStore, 'origins'>): void {
  on('GET', '/origins', async (c) => {
    const after = parseAfter(new URLSearchParams(splitUrl(c.req.raw.url).query));
    return Response.json((await store.origins(after)) ?? [], jsonResponseInit);
  });
}
