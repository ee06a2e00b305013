import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMcpServer, type McpDeps } from './server.ts';

/** Answers a request whose body has been read. Nothing is kept between requests: each request may go to another instance. */
export function createHttpMcp(
  deps: McpDeps,
  refused: (error: Error) => void,
): (request: Request, body: unknown) => Promise<Response> {
  const handler = createMcpHandler(() => createMcpServer(deps, false), { maxSubscriptions: 0, onerror: refused });
  return (request, parsedBody) => handler.fetch(request, { parsedBody });
}
