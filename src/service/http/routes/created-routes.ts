import { invalid } from '../../../core/error.ts';
import { isPortableTime } from '../../../core/note.ts';
import { maxCreated, type PortableStore } from '../../../core/store.ts';
import type { BodyReader } from '../body-reader.ts';
import type { AddRoute } from '../request.ts';
import { jsonResponseInit } from '../response-headers.ts';

/** A text and a comma for each time; more times than allowed are to be rejected by their number. */
const maxTimeParts = 4 * maxCreated.times;

/** Adds the search for notes by the times of their creation, which an import asks whether it has them already. */
export function addCreatedRoutes(on: AddRoute, store: Pick<PortableStore, 'findCreatedAt'>, bodies: BodyReader): void {
  on('POST', '/created', async (c) => {
    const { times, after = 0 } = await bodies.readObject(c.req.raw, maxTimeParts);
    const isList = Array.isArray(times) && times.length <= maxCreated.times && times.every(isPortableTime);
    if (!isList) throw invalid(`Must hold an array "times" of at most ${maxCreated.times} times of creation`);
    if (!Number.isSafeInteger(after) || Number(after) < 0) throw invalid('Invalid after. Must be an id, or 0');
    return Response.json(await store.findCreatedAt(times, Number(after)), jsonResponseInit);
  });
}
