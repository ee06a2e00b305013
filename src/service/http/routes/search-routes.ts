import { type LabelStore, resolveGroup, resolveLabelsInLine } from '../../../core/group-labels.ts';
import { foundHeader } from '../../../core/protocol.ts';
import { parseSearch } from '../../../core/request-parameters.ts';
import type { SearchQueue } from '../../search/search-queue.ts';
import { createSinglePartBody, type LargeResponses } from '../large-responses.ts';
import { type AddRoute, splitUrl } from '../request.ts';
import { jsonHeaders } from '../response-headers.ts';

/** Adds the route of the search. It accepts the label of a group in place of its value. */
export function addSearchRoutes(
  on: AddRoute,
  store: Pick<LabelStore, 'labels'>,
  searches: Pick<SearchQueue, 'search'>,
  large: LargeResponses,
): void {
  on('GET', '/api/search', async ({ req: { raw: request } }) => {
    const parameters = new URLSearchParams(splitUrl(request.url).query);
    const [name, ...others] = parameters.getAll('group');
    if (name !== undefined && others.length === 0) parameters.set('group', await resolveGroup(name, store));
    const wanted = parseSearch(parameters);
    const query = await resolveLabelsInLine(wanted.query, store);
    const { json, total } = await searches.search({ ...wanted, query }, request.signal);
    return large.respond(createSinglePartBody(json), { ...jsonHeaders, [foundHeader]: String(total) });
  });
}
