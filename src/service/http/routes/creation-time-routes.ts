import { createInvalidError } from '../../../core/error.ts';
import { isPortableTime } from '../../../core/note.ts';
import { maxCreated, type PortableStore } from '../../../core/store.ts';
import type { JsonBodyReader } from '../json-body-reader.ts';
import type { AddRoute } from '../request.ts';
import { jsonResponseInit } from '../response-headers.ts';

/**
 * Each time has a text and a comma as parts. Four times as many are allowed here, so that a list that is too long is
 * rejected for its number of times.
 */
const maxTimeParts = 4 * maxCreated.times;

/**
 * Adds the search for notes by the times of their creation, by which an import finds out which notes it has added
 * already.
 */
export function addCreationTimeSearchRoute(
  on: AddRoute,
  store: Pick<PortableStore, 'readCreatedNotesPage'>,
  bodies: JsonBodyReader,
): void {
  on('POST', '/created', async (c) => {
    const { times, after = 0 } = await bodies.readJsonObject(c.req.raw, maxTimeParts);
    const isList = Array.isArray(times) && times.length <= maxCreated.times && times.every(isPortableTime);
    if (!isList)
      throw createInvalidError(`Must hold an array "times" of at most ${maxCreated.times} times of creation`);
    if (!Number.isSafeInteger(after) || Number(after) < 0)
      throw createInvalidError('Invalid after. Must be an id, or 0');
    return Response.json(await store.readCreatedNotesPage(times, Number(after)), jsonResponseInit);
  });
}
