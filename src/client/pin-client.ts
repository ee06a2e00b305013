import { isPinsResponse, type PinStore, type Pins } from '../core/pins.ts';
import type { ServiceConnection } from './service-connection.ts';
import { jsonBodyHeaders, toIfMatchHeaders } from './service-request.ts';
import { createUnexpectedBodyError, getSuccessBody, type ServiceResponse } from './service-response.ts';

/** Creates a client of the pins of a service. The client that is published has no pins, as it has to stay small. */
export function createPinClient(service: Pick<ServiceConnection, 'fetchApi'>): PinStore {
  return {
    readPins: async () => parsePins(await service.fetchApi('/pins', {})),

    async replacePins(ids, ifMatch) {
      const headers = { ...jsonBodyHeaders, ...toIfMatchHeaders(ifMatch) };
      return parsePins(await service.fetchApi('/pins', { method: 'PUT', headers, body: JSON.stringify({ ids }) }));
    },
  };
}

/** Throws the error that the response describes; `unavailable` if it has no entity tag. */
function parsePins(response: ServiceResponse): Pins {
  const { ids } = getSuccessBody(response, isPinsResponse);
  const [, revision] = /^(?:W\/)?"([^"]+)"$/.exec(response.headers.get('etag') ?? '') ?? []; // proxies weaken tags
  if (revision === undefined) throw createUnexpectedBodyError(response.status);
  return { ids, revision };
}
