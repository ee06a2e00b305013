/** Compares versions on a thread of its own, which the page ends when it takes too long. */
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
