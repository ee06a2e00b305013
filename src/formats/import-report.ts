import type { MergeOutcome } from '../domain/store.ts';

/** What became of what was read. */
export type ImportReport = ReturnType<typeof emptyReport>;

export const emptyReport = () => ({
  read: 0,
  added: 0,
  replaced: 0,
  /** As their source has changed. */
  updated: 0,
  /** Changed both here and at their source: they stay, and the source is kept as a version. */
  diverged: 0,
  unchanged: 0,
  /** Kept in the history of a note that is newer. */
  versions: 0,
  /** Kept, since what is there is newer. */
  newer: 0,
  /** Kept, since what is there is another text of the same moment. */
  different: 0,
  /** Of those that were added: under a new id, since another note has theirs. */
  renumbered: 0,
  bad: 0,
  leftOut: 0,
  /** As they seem to hold secrets. */
  withheld: 0,
  /** The first ids of each. */
  replacedIds: [] as number[],
  updatedIds: [] as number[],
  divergedIds: [] as number[],
  differentIds: [] as number[],
  renumberedIds: [] as number[],
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
