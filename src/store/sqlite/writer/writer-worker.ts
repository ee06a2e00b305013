/** Writes to the database on a thread of its own: see writer-client.ts. */
import { Executor } from './executor.ts';

declare const self: Worker;

const executor = new Executor((message) => self.postMessage(JSON.stringify(message)));

self.onmessage = ({ data }: MessageEvent<string>) => executor.execute(JSON.parse(data)); // ours

/** Also while there are no writes: a deleted lock admits a second service. */
setInterval(() => executor.checkFiles(), 1_000);
