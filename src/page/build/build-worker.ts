/** Builds the page on a thread of its own. */
import { serveWorkerMethods } from '../../core/workers/serve-worker.ts';
import { buildPage } from './build.ts';

declare const self: Worker;

const methods = { buildPage };

export type BuildMethods = typeof methods;

serveWorkerMethods(self, methods);
