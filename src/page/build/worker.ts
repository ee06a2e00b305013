import { buildPage } from './build.ts';

declare const self: { postMessage(files: Awaited<ReturnType<typeof buildPage>>): void };

self.postMessage(await buildPage());
