import type { AuditLog } from '../../audit-log.ts';
import { findContextTokenName, hasReadOnlyToken } from '../access/access.ts';
import type { GetClientAddress } from '../access/client-address.ts';
import { createErrorResponse } from '../error-responses.ts';
import type { JsonBodyReader } from '../json-body-reader.ts';
import type { AddRoute } from '../request.ts';

/** Handles a message of the Model Context Protocol read from a request. */
export type RespondMcp = (request: Request, body: unknown, caller: McpCaller) => Promise<Response>;

/** The tools must know this of the sender of a message. */
interface McpCaller {
  readonly isReadOnly: boolean;
  /** Is called when a write of a tool has ended. */
  readonly onWrite?: ((write: ToolWrite) => void) | undefined;
}

/** A write by a tool has ended like this. */
export interface ToolWrite {
  readonly operation: 'create' | 'update' | 'archive' | 'unarchive';
  /** The id of the note; undefined if none was created. */
  readonly id: number | undefined;
  /** The status is the one that the same write gets over HTTP. */
  readonly status: number;
}

interface McpRouteDeps {
  readonly bodies: JsonBodyReader;
  readonly getClientAddress: GetClientAddress;
  /** If it is undefined, writes are not recorded. */
  readonly audit: Pick<AuditLog, 'append'> | undefined;
}

const methods = ['GET', 'POST', 'DELETE'] as const;

const switchedOff = '/mcp is off. Start the service with MCP=read or --mcp read; with write, programs may change notes';

/**
 * Adds `/mcp`. It has no sessions, so that GET and DELETE are rejected. Without `respond`, it says how to switch it on.
 */
export function addMcpRoutes(on: AddRoute, respond: RespondMcp | undefined, deps: McpRouteDeps): void {
  const { bodies, getClientAddress, audit } = deps;
  if (respond === undefined) {
    for (const method of methods) on(method, '/mcp', () => createErrorResponse(404, switchedOff));
    return;
  }
  on('POST', '/mcp', async (c) => {
    const { raw: request } = c.req;
    const sender = audit && { token: findContextTokenName(c), address: getClientAddress(request) };
    const onWrite =
      sender &&
      (({ operation, ...write }: ToolWrite) =>
        audit.append({ ...sender, method: `MCP ${operation}`, route: '/mcp', ...write }));
    const response = await respond(request, await bodies.readJsonObject(request), {
      isReadOnly: hasReadOnlyToken(c),
      onWrite,
    });
    response.headers.set('X-Content-Type-Options', 'nosniff');
    return response;
  });
  for (const method of ['GET', 'DELETE']) {
    on(method, '/mcp', () => createErrorResponse(405, '/mcp takes POST only', { Allow: 'POST' }));
  }
}
