import { createMcpHandler } from '@modelcontextprotocol/server';
import type { NoteEngine } from '../domain/store.ts';
import { SearchThread } from './search-thread.ts';
import { createMcpServer, type McpDeps } from './server.ts';

/** A store that answers others while it is searched. */
export interface HttpMcpDeps extends McpDeps {
  readonly store: McpDeps['store'] & Pick<NoteEngine, 'listJson'>;
}

/** Answers a request whose body has been read. Nothing is kept between requests: each request may go to another instance. */
export function createHttpMcp(
  deps: HttpMcpDeps,
  refused: (error: Error) => void,
): (request: Request, body: unknown) => Promise<Response> {
  const searches = new SearchThread(deps.store);
  const find = searches.find.bind(searches);
  const handler = createMcpHandler(() => createMcpServer({ ...deps, find }, false), {
    maxSubscriptions: 0,
    onerror: refused,
  });
  return (request, parsedBody) => handler.fetch(request, { parsedBody });
}
