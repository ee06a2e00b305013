import { foundHeader } from '../../../core/protocol.ts';
import { parseSearch } from '../../../core/request-parameters.ts';
import { type LabelStore, resolveLabel, resolveLabelsInLine } from '../../../core/value-labels.ts';
import type { SearchQueue } from '../../search/search-queue.ts';
import { createSinglePartListBody, type LargeResponses } from '../large-responses.ts';
import { type AddRoute, splitPathAndQuery } from '../request.ts';
import { jsonHeaders } from '../response-headers.ts';

/** Adds the route of the search. It accepts the labels of a category and a group in place of their values. */
export function addSearchRoutes(
  on: AddRoute,
  store: Pick<LabelStore, 'labels'>,
  searches: Pick<SearchQueue, 'search'>,
  large: LargeResponses,
): void {
  on('GET', '/api/search', async ({ req: { raw: request } }) => {
    const parameters = new URLSearchParams(splitPathAndQuery(request.url).query);
    for (const field of ['category', 'group'] as const) {
      const [name, ...others] = parameters.getAll(field);
      if (name !== undefined && others.length === 0) parameters.set(field, await resolveLabel(field, name, store));
    }
    const wanted = parseSearch(parameters);
    const query = await resolveLabelsInLine(wanted.query, store);
    const { json, total } = await searches.search({ ...wanted, query }, request.signal);
    return large.respond(createSinglePartListBody(json), { ...jsonHeaders, [foundHeader]: String(total) });
  });
}
