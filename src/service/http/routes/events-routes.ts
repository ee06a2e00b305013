import { NoteError } from '../../../core/error.ts';
import type { NoteEngine } from '../../../core/store.ts';
import type { Access } from '../access/access.ts';
import { createErrorResponse } from '../error-responses.ts';
import { EventHub, type EventHubOptions } from '../event-hub.ts';
import * as httpMessage from '../http-messages.ts';
import type { AddRoute } from '../request.ts';
import { eventHeaders } from '../response-headers.ts';

/** A shutdown ends the responses that are endless, and asks how many of them are stuck. */
export interface EventStreams {
  /** Ends the responses. */
  readonly stopping: AbortSignal;
  /** Returns the number of those that stay open, as their readers are stuck. */
  countStuck: () => number;
}

interface EventsOptions extends EventHubOptions {
  readonly streams?: EventStreams | undefined;
  /** By default, everybody has access. */
  readonly access?: Access | undefined;
}

/** Adds the route of the stream of changes. Returns a function that counts listeners. */
export function addEventsRoutesAndGetCounter(
  on: AddRoute,
  store: NoteEngine,
  { streams, access, ...options }: EventsOptions,
): () => number {
  const { feed } = store;
  const hub = feed && new EventHub(feed, store, options);
  const stop = () => {
    hub?.close();
    if (hub && streams) streams.countStuck = () => hub.listenerCount;
  };
  if (streams?.stopping.aborted) stop();
  streams?.stopping.addEventListener('abort', stop);

  on('GET', '/api/events', async (c) => {
    if (hub === undefined) return createErrorResponse(501, httpMessage.noChangeLog);
    if (c.req.raw.method === 'HEAD') return new Response(null, { headers: eventHeaders });
    const cursor = c.req.header('last-event-id') || c.req.query('cursor');
    const { headers } = c.req.raw;
    const hasAccess = access && (() => access.stillHasAccess(headers));
    try {
      return new Response(await hub.openEventStream(cursor, hasAccess), { headers: eventHeaders });
    } catch (error) {
      if (error instanceof NoteError) return createErrorResponse(503, error.message, { 'Retry-After': '5' });
      throw error;
    }
  });
  return () => hub?.listenerCount ?? 0;
}
