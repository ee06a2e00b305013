import { type MergeResult, type PortableStore, searchLimits } from '../core/store.ts';
import { toLabels } from '../core/value-labels.ts';
import { createClient } from './client.ts';
import { iterateMergeBatches } from './merge-batches.ts';
import { createPinClient } from './pin-client.ts';
import { PortableConnection, type PortableOptions } from './portable-connection.ts';
import { isCreatedNoteArray, isNoteOriginArray, parseResponseNote } from './response-guards.ts';
import { ServiceConnection } from './service-connection.ts';
import { encodeQueryString, jsonBodyHeaders } from './service-request.ts';
import { getSuccessBody } from './service-response.ts';

/** Timeout of a request for a note or a list, in ms. */
const timeoutMs = 30_000;

/**
 * Creates a portable store for the service at `url`. Large merges take several sequential requests: if one fails, the
 * earlier ones stay merged, and repeating the whole merge is safe.
 */
export function createPortableClient(url: string, options: PortableOptions = {}): PortableStore {
  const service = new PortableConnection(url, options);
  const { location } = service;
  const send = (to: string, init: RequestInit) => service.send(to.slice(location.length), init);
  const client = createClient(location, { send, timeoutMs });
  const pinClient = createPinClient(new ServiceConnection(location, { send, timeoutMs }));
  return {
    location,
    create: async (draft) => parseResponseNote(await client.create(draft)),
    get: async (id) => parseResponseNote(await client.get(id)),
    list: async (filter) => (await client.list(filter)).map(parseResponseNote),
    update: async (id, patch, ifMatch) => parseResponseNote(await client.update(id, patch, ifMatch)),
    setArchived: async (id, archived, ifMatch) => parseResponseNote(await client.setArchived(id, archived, ifMatch)),
    labels: async () => toLabels(await client.labels()), // an older service has none of categories
    setLabels: async (changes) => toLabels(await client.setLabels(changes)),
    ...pinClient,

    async search(query, searchOptions) {
      if (query.length > searchLimits.query) return undefined;
      const found = await client.search(query, searchOptions);
      return { ...found, notes: found.notes.map(parseResponseNote) };
    },

    scan: (filter = {}) => service.streamNoteBatches(`/api/notes${encodeQueryString(filter)}`),

    history: (id, limit) => service.streamNoteBatches(`/api/notes/${id}/history${encodeQueryString({ limit })}`),

    readOriginsPage: async (after) =>
      getSuccessBody(await service.fetchStatusAndJsonIfAny(`/origins?after=${after}`), isNoteOriginArray),

    async readCreatedNotesPage(times, after) {
      const init = { method: 'POST', headers: jsonBodyHeaders, body: JSON.stringify({ times, after }) };
      return getSuccessBody(await service.fetchStatusAndJsonIfAny('/created', init), isCreatedNoteArray);
    },

    async merge(notes, { dryRun = false } = {}) {
      const results: MergeResult[] = [];
      for (const { noteJsons } of iterateMergeBatches(notes))
        results.push(...(await service.sendMergeRequest(noteJsons, dryRun)));
      return results;
    },

    async [Symbol.asyncDispose]() {},
  };
}
