/** Many almost idle connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Crowd extends Disposable {
  /** Resolves when all are gone, to the time from the first opening to the last end, in s. */
  readonly allGone: Promise<number>;
}

/** Opens `size` connections, each of which sends these bytes and then nothing. */
export async function openCrowd(port: number, size: number, bytes: string): Promise<Crowd> {
  const started = performance.now();
  const sockets: Socket[] = [];
  const allGone = Promise.withResolvers<number>();
  let gone = 0;
  const leave = () => {
    if (++gone === size) allGone.resolve((performance.now() - started) / 1000);
  };
  while (sockets.length < size) {
    const some = Array.from({ length: Math.min(250, size - sockets.length) }, () =>
      connect({ host: '127.0.0.1', port }),
    );
    for (const socket of some)
      socket
        .on('error', () => {})
        .on('close', leave)
        .resume(); // 'close' follows an error
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    for (const socket of some) socket.write(bytes);
    sockets.push(...some);
  }
  return {
    allGone: allGone.promise,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
