/** A relay of TCP connections in the test's own process, which can break them. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A relayed connection. */
export interface Relayed {
  /** Breaks both ends. */
  cut(): void;
}

/** Observes all bytes, and decides whether to forward them. */
export interface Tap {
  toServer?(bytes: Buffer, relayed: Relayed): boolean;
  toClient?(bytes: Buffer, relayed: Relayed): boolean;
}

export interface Relay extends Disposable {
  readonly port: number;
  /** Breaks all current connections. */
  cut(): void;
}

/** Relays each connection to the port that `next` returns; breaks it if that port refuses. */
export async function startRelay(next: () => number, tap: Tap = {}): Promise<Relay> {
  const open = new Set<Relayed>();
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: next() });
    const relayed = { cut: () => [client, upstream].forEach((socket) => void socket.destroy()) };
    open.add(relayed);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => {}); // 'close' follows
      socket.on('close', () => {
        relayed.cut();
        open.delete(relayed);
      });
    }
    relayBytesIfAllowed(client, upstream, (bytes) => tap.toServer?.(bytes, relayed) ?? true);
    relayBytesIfAllowed(upstream, client, (bytes) => tap.toClient?.(bytes, relayed) ?? true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = () => {
    for (const relayed of open) relayed.cut();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut,
    [Symbol.dispose]() {
      server.close();
      cut();
    },
  };
}

function relayBytesIfAllowed(from: Socket, to: Socket, goesOn: (bytes: Buffer) => boolean): void {
  from.on('data', (bytes: Buffer) => {
    if (goesOn(bytes) && !to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
}
