import { NoteError } from '../../../core/error.ts';
import type { NoteEngine } from '../../../core/store.ts';
import { answerError } from '../errors.ts';
import { EventHub, type HubOptions } from '../event-hub.ts';
import { eventHeaders } from '../headers.ts';
import * as message from '../message.ts';
import type { AddRoute } from '../request.ts';

/** Endless responses, for shutdown. */
export interface Streams {
  /** Ends the responses. */
  readonly stopping: AbortSignal;
  /** The number of those that stay open, as their readers are stuck. */
  stuck: () => number;
}

/** Adds the stream of changes. Returns a function that counts listeners. */
export function addEventsRoutes(
  on: AddRoute,
  store: NoteEngine,
  { streams, ...options }: HubOptions & { readonly streams?: Streams | undefined },
): () => number {
  const { feed } = store;
  const hub = feed && new EventHub(feed, options);
  const stop = () => {
    hub?.close();
    if (hub && streams) streams.stuck = () => hub.size;
  };
  if (streams?.stopping.aborted) stop();
  streams?.stopping.addEventListener('abort', stop);

  on('GET', '/api/events', async (c) => {
    if (hub === undefined) return answerError(501, message.noChangeLog);
    if (c.req.raw.method === 'HEAD') return new Response(null, { headers: eventHeaders });
    const cursor = c.req.header('last-event-id') || c.req.query('cursor');
    try {
      return new Response(await hub.listen(cursor), { headers: eventHeaders });
    } catch (error) {
      if (error instanceof NoteError) return answerError(503, error.message, { 'Retry-After': '5' });
      throw error;
    }
  });
  return () => hub?.size ?? 0;
}
