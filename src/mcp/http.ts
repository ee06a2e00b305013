import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Searches } from '../search/searches.ts';
import { findOnThread } from './search.ts';
import { createMcpServer, type McpDeps } from './server.ts';

/** A store that is searched on another thread. */
export interface HttpMcpDeps extends Omit<McpDeps, 'find'> {
  readonly searches: Pick<Searches, 'find'>;
}

/** Answers a request whose body has been read. Nothing is kept between requests: each request may go to another instance. */
export function createHttpMcp(
  { searches, ...deps }: HttpMcpDeps,
  refused: (error: Error) => void,
): (request: Request, body: unknown) => Promise<Response> {
  const find = findOnThread(searches);
  const handler = createMcpHandler(() => createMcpServer({ ...deps, find }, false), {
    maxSubscriptions: 0,
    onerror: refused,
  });
  return (request, parsedBody) => handler.fetch(request, { parsedBody });
}
