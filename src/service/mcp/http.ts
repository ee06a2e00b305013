import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Searches } from '../search/searches.ts';
import { findOnThread } from './search.ts';
import { createMcpServer, type McpDeps } from './server.ts';
import type { McpStore } from './store.ts';

export interface HttpMcpDeps extends Omit<McpDeps, 'find' | 'use'> {
  readonly store: McpStore;
  readonly searches: Pick<Searches, 'find'>;
}

/**
 * Handles a request whose body has been read, without write tools if read-only. Stateless: each request may reach
 * another instance.
 */
export function createHttpMcp(
  { searches, store, ...deps }: HttpMcpDeps,
  refused: (error: Error) => void,
): (request: Request, body: unknown, isReadOnly: boolean) => Promise<Response> {
  const find = findOnThread(searches);
  const handlerFor = (writes: boolean) =>
    createMcpHandler(() => createMcpServer({ ...deps, use: (work) => work(store), find, writes }, false), {
      maxSubscriptions: 0,
      onerror: refused,
    });
  const [handler, reading] = [handlerFor(deps.writes), handlerFor(false)];
  return (request, parsedBody, isReadOnly) => (isReadOnly ? reading : handler).fetch(request, { parsedBody });
}
