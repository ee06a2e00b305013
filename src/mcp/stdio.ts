import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpDeps } from './server.ts';

/** Limit of a message, in bytes: fits the longest note, escaped. */
const maxBufferSize = 64 * 1024 * 1024;

/** A client on standard input and output. */
export interface Connection extends AsyncDisposable {
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
}

/** Serves the parent process. Requests sent before the end of input are still answered. */
export function connectStdio(deps: McpDeps): Connection {
  const transport = new StdioServerTransport(undefined, undefined, { maxBufferSize });
  const { close } = serveStdio(() => createMcpServer(deps, true), { transport, onerror: deps.report });
  const giveUp = answerBeforeClosing(transport);
  const ended = Promise.withResolvers<void>();
  const closed = transport.onclose;
  transport.onclose = () => {
    closed?.();
    ended.resolve();
  };
  const end = async () => {
    giveUp();
    await close();
  };
  return { ended: ended.promise, [Symbol.asyncDispose]: end };
}

/** How long answers may take after the end of input, in ms. */
const endMs = 5_000;

/** A subscription; answered only when it ends. */
const lasting = 'subscriptions/listen';

/**
 * Delays closing until pending requests are answered: the transport would drop them at the end of input. Returns a
 * function that ends the delay.
 */
function answerBeforeClosing(transport: StdioServerTransport): () => void {
  const asked = new Set<unknown>();
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message && message.method !== lasting) asked.add(message.id);
    if ('method' in message && message.method === 'notifications/cancelled')
      asked.delete(message.params?.['requestId']);
    onmessage?.(message);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message).finally(() => 'id' in message && !('method' in message) && asked.delete(message.id));
  };
  const close = transport.close.bind(transport);
  transport.close = async () => {
    for (const until = performance.now() + endMs; asked.size > 0 && performance.now() < until; ) await Bun.sleep(10);
    await close();
  };
  return () => asked.clear();
}
