/** What stands between two programs and can fail them: a relay of TCP connections in the test's own process. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A connection that is passed on. */
export interface Relayed {
  /** Both ends see it break. */
  cut(): void;
}

/** Sees all bytes on their way, and says whether they go on. */
export interface Tap {
  toServer?(bytes: Buffer, relayed: Relayed): boolean;
  toClient?(bytes: Buffer, relayed: Relayed): boolean;
}

export interface Relay extends Disposable {
  readonly port: number;
  /** Cuts all connections that there are. */
  cut(): void;
}

/** Passes each connection on to the port that `next` names at that moment; one that cannot be passed on is cut. */
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
    pass(client, upstream, (bytes) => tap.toServer?.(bytes, relayed) ?? true);
    pass(upstream, client, (bytes) => tap.toClient?.(bytes, relayed) ?? true);
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

function pass(from: Socket, to: Socket, goesOn: (bytes: Buffer) => boolean): void {
  from.on('data', (bytes: Buffer) => {
    if (goesOn(bytes) && !to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
}
