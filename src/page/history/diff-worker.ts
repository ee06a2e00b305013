/** Compares and merges versions in a worker, which the page terminates after a timeout. */
import { serveWorkerMethods } from '../../core/workers/serve-worker.ts';
import { mergeDraftsKeepingBoth, tryMergeDrafts } from '../editor/merge-drafts.ts';
import type { ComparisonMethods } from './differences.tsx';
import { createLineDiff } from './line-diff.ts';

declare const self: Worker;

const methods: ComparisonMethods = {
  compare: ({ before, after }) => ({
    title: createLineDiff(before.title, after.title),
    content: createLineDiff(before.content, after.content),
  }),
  merge: ({ base, mine, theirs }) => tryMergeDrafts(base, mine, theirs),
  mergeKeepingBoth: ({ base, mine, theirs }) => mergeDraftsKeepingBoth(base, mine, theirs),
};

serveWorkerMethods(self, methods);
