import { parseSearch } from '../../domain/parse.ts';
import { foundHeader } from '../../domain/store.ts';
import type { Searches } from '../../search/searches.ts';
import { jsonHeaders } from '../headers.ts';
import type { LargeAnswers } from '../large-answers.ts';
import type { AddRoute } from '../middleware.ts';
import { splitUrl } from '../url.ts';

/** Adds what answers the best notes for a query. */
export function addSearch(on: AddRoute, searches: Pick<Searches, 'find'>, large: LargeAnswers): void {
  on('GET', '/api/search', async ({ req: { raw: request } }) => {
    const wanted = parseSearch(new URLSearchParams(splitUrl(request.url).query));
    const { json, total } = await searches.find(wanted, request.signal);
    return large.answer(new Blob([json]), { ...jsonHeaders, [foundHeader]: String(total) });
  });
}
