/** Thread that writes to the database. See writer-client.ts. */
import { Executor, type WriterRequest } from './executor.ts';

declare const self: Worker;

const executor = new Executor((message) => self.postMessage(message));

let waiting: WriterRequest[] = [];

/** Executes together what has arrived meanwhile. */
self.onmessage = ({ data }: MessageEvent<WriterRequest>) => {
  if (waiting.push(data) > 1) return;
  setImmediate(() => {
    const requests = waiting;
    waiting = [];
    executor.execute(requests);
  });
};

/** Checks even without writes, as a second service could start if the lock file was deleted. */
setInterval(() => executor.checkFiles(), 1_000);
