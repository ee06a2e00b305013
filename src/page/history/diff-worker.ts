/** Compares versions in a worker, which the page terminates after a timeout. */
import { serveWorker } from '../../core/workers/serve-worker.ts';
import type { ComparisonMethods } from './differences.tsx';
import { lineDiff } from './line-diff.ts';

declare const self: Worker;

const methods: ComparisonMethods = {
  compare: ({ before, after }) => ({
    title: lineDiff(before.title, after.title),
    content: lineDiff(before.content, after.content),
  }),
};

serveWorker(self, methods);
