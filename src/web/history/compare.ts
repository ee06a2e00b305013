import type { Note } from '../../domain/note.ts';
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

const { run } = workerJobs<ComparisonJob, Comparison>('diffWorker', timeoutMs);

const textsOf = ({ title, content }: Texts): Texts => ({ title, content });

/** Compares two versions; undefined after a timeout, or if superseded by another call. */
export const compare = (before: Texts, after: Texts): Promise<Comparison | undefined> =>
  run({ before: textsOf(before), after: textsOf(after) });
