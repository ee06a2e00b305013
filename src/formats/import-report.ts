import type { MergeOutcome } from '../domain/store.ts';

/** What became of what was read. */
export interface ImportReport {
  read: number;
  added: number;
  replaced: number;
  /** As their source has changed. */
  updated: number;
  /** Changed both here and at their source: they stay, and the source is kept as a version. */
  diverged: number;
  unchanged: number;
  /** Kept in the history of a note that is newer. */
  versions: number;
  /** Kept, since what is there is newer. */
  newer: number;
  /** Kept, since what is there is another text of the same moment. */
  different: number;
  /** Of those that were added: under a new id, since another note has theirs. */
  renumbered: number;
  bad: number;
  leftOut: number;
  /** As they seem to hold secrets. */
  withheld: number;
  /** The first ids of each. */
  readonly replacedIds: number[];
  readonly updatedIds: number[];
  readonly divergedIds: number[];
  readonly differentIds: number[];
  readonly renumberedIds: number[];
}

export const emptyReport = (): ImportReport => ({
  read: 0,
  added: 0,
  replaced: 0,
  updated: 0,
  diverged: 0,
  unchanged: 0,
  versions: 0,
  newer: 0,
  different: 0,
  renumbered: 0,
  bad: 0,
  leftOut: 0,
  withheld: 0,
  replacedIds: [],
  updatedIds: [],
  divergedIds: [],
  differentIds: [],
  renumberedIds: [],
});

/** What a merge counts as. */
export const countOf = {
  added: 'added',
  replaced: 'replaced',
  version: 'versions',
  same: 'unchanged',
  newer: 'newer',
  different: 'different',
} as const satisfies Record<Exclude<MergeOutcome, 'taken'>, keyof ImportReport>;

const maxIds = 1_000;

/** Counts a note, and keeps its id where ids are told of. */
export function countIn(
  report: ImportReport,
  what: (typeof countOf)[keyof typeof countOf] | 'updated' | 'diverged' | 'renumbered',
  id?: number,
) {
  report[what]++;
  const ids = what in listed ? report[listed[what as keyof typeof listed]] : undefined;
  if (id !== undefined && ids !== undefined && ids.length < maxIds) ids.push(id);
}

const listed = {
  replaced: 'replacedIds',
  updated: 'updatedIds',
  diverged: 'divergedIds',
  different: 'differentIds',
  renumbered: 'renumberedIds',
} as const;
