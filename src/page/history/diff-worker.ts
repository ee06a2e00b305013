/** Compares versions in a worker, which the page terminates after a timeout. */
import type { FromWorker } from '../markdown/worker-jobs.ts';
import type { Comparison, ComparisonJob } from './differences.tsx';
import { lineDiff } from './line-diff.ts';

declare const self: {
  onmessage: (event: MessageEvent<ComparisonJob>) => void;
  postMessage(message: FromWorker<Comparison>): void;
};

self.onmessage = ({ data: { before, after } }) =>
  self.postMessage({ title: lineDiff(before.title, after.title), content: lineDiff(before.content, after.content) });
self.postMessage('running');
