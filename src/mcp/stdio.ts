import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpDeps } from './server.ts';

/** Most bytes of a message: a note of the longest length, escaped, and more. */
const maxBufferSize = 64 * 1024 * 1024;

/** A client at the other end of standard input and output. */
export interface Connection extends AsyncDisposable {
  /** Resolved when the client has gone. */
  readonly ended: Promise<void>;
}

/** Serves the program that started this one. */
export function connectStdio(deps: McpDeps): Connection {
  const transport = new StdioServerTransport(undefined, undefined, { maxBufferSize });
  const { close } = serveStdio(() => createMcpServer(deps, true), { transport, onerror: deps.report });
  const ended = Promise.withResolvers<void>();
  const closed = transport.onclose;
  transport.onclose = () => {
    closed?.();
    ended.resolve();
  };
  return { ended: ended.promise, [Symbol.asyncDispose]: close };
}
