import { type PinStore, type Pins, parsePinsFromBody } from '../../../core/pins.ts';
import { matchesIfNoneMatch, parseIfMatchIfPresent } from '../conditional-headers.ts';
import type { JsonBodyReader } from '../json-body-reader.ts';
import type { AddRoute } from '../request.ts';
import { jsonHeaders } from '../response-headers.ts';

/** Adds the routes that read and replace which notes are pinned. */
export function addPinsRoutes(on: AddRoute, store: PinStore, bodies: JsonBodyReader): void {
  on('GET', '/api/pins', async (c) => {
    const pins = await store.readPins();
    const isKnown = matchesIfNoneMatch(c.req.header('if-none-match'), pins.revision);
    return isKnown ? new Response(null, { status: 304, headers: createPinsHeaders(pins) }) : createPinsResponse(pins);
  });

  on('PUT', '/api/pins', async (c) => {
    const ids = parsePinsFromBody(await bodies.readJsonObject(c.req.raw));
    return createPinsResponse(await store.replacePins(ids, parseIfMatchIfPresent(c.req.header('if-match'))));
  });
}

const createPinsHeaders = ({ revision }: Pins) => ({ ...jsonHeaders, ETag: `"${revision}"` });

const createPinsResponse = (pins: Pins) =>
  new Response(JSON.stringify({ ids: pins.ids }), { headers: createPinsHeaders(pins) });
