import { once } from 'node:events';
import { connect as connectTcp, createServer, type Socket } from 'node:net';

/** A proxy that can stop forwarding in both directions without closing connections. */
export interface SilentProxy extends AsyncDisposable {
  readonly port: number;
  fallSilent(): void;
  /** Drops what was held back and keeps those connections silent; new ones work. */
  forget(): void;
}

export async function startSilentProxy(serverPort: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const proxy = createServer((client) => {
    const server = connectTcp(serverPort, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => {}); // 'close' follows
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isSilent) from.pause();
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    forget() {
      isSilent = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
