import * as message from '../../domain/message.ts';
import type { BodyReader } from '../body.ts';
import { answerError } from '../errors.ts';
import type { AddRoute } from '../middleware.ts';

/** Answers a message of the Model Context Protocol that has been read out of a request. */
export type AnswerMcp = (request: Request, body: unknown) => Promise<Response>;

interface McpRoute {
  readonly answer: AnswerMcp;
  readonly bodies: BodyReader;
  readonly corsOrigins: readonly string[];
}

/** Adds `/mcp`, without sessions: each request stands for itself, and there is nothing to GET or DELETE. */
export function addMcp(on: AddRoute, { answer, bodies, corsOrigins }: McpRoute): void {
  on('POST', '/mcp', async ({ req: { raw: request } }) => {
    if (!isOriginAllowed(request.headers, corsOrigins)) return answerError(403, message.originNotAllowed);
    const answered = await answer(request, await bodies.read(request));
    answered.headers.set('X-Content-Type-Options', 'nosniff');
    return answered;
  });
  for (const method of ['GET', 'DELETE']) {
    on(method, '/mcp', () => answerError(405, message.postOnly('/mcp'), { Allow: 'POST' }));
  }
}

/** Programs send no origin; a page of the service itself and those that are granted CORS do (MCP, Streamable HTTP, security). */
function isOriginAllowed(headers: Headers, corsOrigins: readonly string[]): boolean {
  const origin = headers.get('origin');
  if (origin === null || corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.get('host');
}
