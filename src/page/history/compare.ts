import type { Note } from '../../core/note.ts';
import { workerJobs } from '../markdown/worker-jobs.ts';
import type { LineDiff } from './line-diff.ts';

type Texts = Pick<Note, 'title' | 'content'>;

export interface ComparisonJob {
  readonly before: Texts;
  readonly after: Texts;
}

export interface Comparison {
  readonly title: LineDiff;
  readonly content: LineDiff;
}

const timeoutMs = 5_000;

/** Compares two versions; undefined after a timeout, or if aborted. */
export const { run: compare } = workerJobs<ComparisonJob, Comparison>('diffWorker', timeoutMs);
