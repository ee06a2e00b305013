import { isReadOnly } from '../access/access.ts';
import type { BodyReader } from '../body.ts';
import { answerError } from '../errors.ts';
import type { AddRoute } from '../request.ts';

/** Handles a message of the Model Context Protocol read from a request. */
export type AnswerMcp = (request: Request, body: unknown, isReadOnly: boolean) => Promise<Response>;

const methods = ['GET', 'POST', 'DELETE'] as const;

const switchedOff = '/mcp is off. Start the service with MCP=read or --mcp read; with write, programs may change notes';

/** Adds `/mcp`. Stateless: there are no sessions to GET or DELETE. Without `answer` it says how to switch it on. */
export function addMcpRoutes(on: AddRoute, answer: AnswerMcp | undefined, bodies: BodyReader): void {
  if (answer === undefined) {
    for (const method of methods) on(method, '/mcp', () => answerError(404, switchedOff));
    return;
  }
  on('POST', '/mcp', async (c) => {
    const { raw: request } = c.req;
    const answered = await answer(request, await bodies.read(request), isReadOnly(c));
    answered.headers.set('X-Content-Type-Options', 'nosniff');
    return answered;
  });
  for (const method of ['GET', 'DELETE']) {
    on(method, '/mcp', () => answerError(405, '/mcp takes POST only', { Allow: 'POST' }));
  }
}
