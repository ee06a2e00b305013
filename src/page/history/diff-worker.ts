/** Compares versions in a worker, which the page terminates after a timeout. */
import type { FromWorker } from '../markdown/worker-jobs.ts';
import type { Comparison, ComparisonJob } from './compare.ts';
import { diffOf } from './line-diff.ts';

declare const self: {
  onmessage: (event: MessageEvent<ComparisonJob>) => void;
  postMessage(message: FromWorker<Comparison>): void;
};

self.onmessage = ({ data: { before, after } }) =>
  self.postMessage({ title: diffOf(before.title, after.title), content: diffOf(before.content, after.content) });
self.postMessage('running');
