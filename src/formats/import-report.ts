import type { MergeOutcome } from '../domain/store.ts';

/** Counts of the results of an import. */
export type ImportReport = ReturnType<typeof emptyReport>;

export const emptyReport = () => ({
  read: 0,
  added: 0,
  replaced: 0,
  /** Updated, as their source has changed. */
  updated: 0,
  /** Changed both here and at the source: kept, with the source's state as a version. */
  diverged: 0,
  unchanged: 0,
  /** Stored in the history of a newer note. */
  versions: 0,
  /** Not stored: the present note is newer. */
  newer: 0,
  /** Not stored: the present note differs at the same time. */
  different: 0,
  /** Those of `added` that got a new id, as another note has theirs. */
  renumbered: 0,
  bad: 0,
  leftOut: 0,
  /** Left out, as they seem to contain secrets. */
  withheld: 0,
  /** The first `maxIds` ids of each. */
  replacedIds: [] as number[],
  updatedIds: [] as number[],
  divergedIds: [] as number[],
  differentIds: [] as number[],
  renumberedIds: [] as number[],
});

/** The counter of each outcome of a merge. */
export const countOf = {
  added: 'added',
  replaced: 'replaced',
  version: 'versions',
  same: 'unchanged',
  newer: 'newer',
  different: 'different',
} as const satisfies Record<Exclude<MergeOutcome, 'taken'>, keyof ImportReport>;

const maxIds = 1_000;

/** Outcomes whose ids are reported. */
const listed = ['replaced', 'updated', 'diverged', 'different', 'renumbered'] as const;

/** Counts a note, and records its id if the report lists those. */
export function countIn(
  report: ImportReport,
  what: (typeof countOf)[keyof typeof countOf] | 'updated' | 'diverged' | 'renumbered',
  id?: number,
) {
  report[what]++;
  const listing = listed.find((name) => name === what);
  const ids = listing && report[`${listing}Ids`];
  if (id !== undefined && ids !== undefined && ids.length < maxIds) ids.push(id);
}
