/** Thread that writes to the database. See writer-client.ts. */
import { Executor } from './executor.ts';

declare const self: Worker;

const executor = new Executor((message) => self.postMessage(JSON.stringify(message)));

self.onmessage = ({ data }: MessageEvent<string>) => executor.execute(JSON.parse(data)); // ours

/** Checks even without writes, as a second service could start if the lock file was deleted. */
setInterval(() => executor.checkFiles(), 1_000);
