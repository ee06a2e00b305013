import { NoteError } from '../../domain/error.ts';
import * as message from '../../domain/message.ts';
import type { NoteEngine } from '../../domain/store.ts';
import { answerError } from '../errors.ts';
import { eventHeaders } from '../headers.ts';
import type { AddRoute } from '../middleware.ts';
import { EventHub, type HubOptions } from './hub.ts';

/** Adds what tells each note that is written, and returns how many listen. `stopping` ends all streams. */
export function addEvents(
  on: AddRoute,
  store: NoteEngine,
  { stopping, ...options }: HubOptions & { readonly stopping?: AbortSignal | undefined },
): () => number {
  const { feed } = store;
  const hub = feed && new EventHub(feed, options);
  if (stopping?.aborted) hub?.close();
  stopping?.addEventListener('abort', () => hub?.close());

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
