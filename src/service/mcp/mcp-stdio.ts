import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { NoteError } from '../../core/error.ts';
import { createMcpServer, type McpDeps } from './mcp-server.ts';

/**
 * A message has at most this many bytes, into which the longest note fits when it is escaped. The transport reports a
 * longer one, then closes.
 */
const maxBufferSize = 64 * 1024 * 1024;
const isMessageTooLongError = (error: Error) => error.message.startsWith('ReadBuffer exceeded');
const tooLongMessage = `The client sent a message of more than ${maxBufferSize / 2 ** 20} MiB`;

/** The connection to a client on standard input and output. */
export interface StdioConnection extends AsyncDisposable {
  /** Resolves when the client has gone. Rejects after a message that was too long. */
  readonly ended: Promise<void>;
}

/** Serves the parent process. Requests sent before the end of input still get a response. */
export function openStdioConnection(deps: McpDeps): StdioConnection {
  const transport = new StdioServerTransport(undefined, undefined, { maxBufferSize });
  let failure: NoteError | undefined;
  const onerror = (error: Error) => {
    if (isMessageTooLongError(error)) failure = new NoteError('unavailable', tooLongMessage);
    else deps.report(error);
  };
  const { close } = serveStdio(() => createMcpServer(deps, true), { transport, onerror });
  const giveUp = patchTransportToCloseAfterResponses(transport);
  const ended = Promise.withResolvers<void>();
  const closed = transport.onclose;
  transport.onclose = () => {
    closed?.();
    if (failure) ended.reject(failure);
    else ended.resolve();
  };
  const end = async () => {
    giveUp();
    await close();
  };
  return { ended: ended.promise, [Symbol.asyncDispose]: end };
}

/** Responses may need this long after the end of input, in ms. */
const responseTimeoutMs = 5_000;

/** A subscription gets its response only when it ends. */
const subscriptionMethod = 'subscriptions/listen';

/**
 * Delays closing until pending requests have a response: the transport would drop them at the end of input. Returns a
 * function that ends the delay.
 */
function patchTransportToCloseAfterResponses(transport: StdioServerTransport): () => void {
  const asked = new Set<unknown>();
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message && message.method !== subscriptionMethod) asked.add(message.id);
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
    for (const until = performance.now() + responseTimeoutMs; asked.size > 0 && performance.now() < until; )
      await Bun.sleep(10);
    await close();
  };
  return () => asked.clear();
}
