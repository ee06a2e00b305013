import { parseAfterIdOrDefault } from '../../../core/request-parameters.ts';
import type { PortableStore } from '../../../core/store.ts';
import { type AddRoute, splitPathAndQuery } from '../request.ts';
import { jsonResponseInit } from '../response-headers.ts';

/** Adds the route that returns the origins of notes, in pages. */
export function addOriginPagesRoute(on: AddRoute, store: Pick<PortableStore, 'readOriginsPage'>): void {
  on('GET', '/origins', async (c) => {
    const after = parseAfterIdOrDefault(new URLSearchParams(splitPathAndQuery(c.req.raw.url).query));
    return Response.json((await store.readOriginsPage(after)) ?? [], jsonResponseInit);
  });
}
