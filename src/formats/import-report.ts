import type { MergeOutcome } from '../core/store.ts';

/** Counts of the results of an import. */
export type ImportReport = ReturnType<typeof createEmptyReport>;

export const createEmptyReport = () => ({
  read: 0,
  added: 0,
  /** Replaced by a newer state. */
  updated: 0,
  /** Nothing but their titles changed, which are those of their files now. */
  retitled: 0,
  unchanged: 0,
  /** Older than the stored note, whose history has them. */
  versions: 0,
  /** Not stored: the present note differs at the same time. */
  left: 0,
  /** Those of `added` that got a new id, as another note has theirs. */
  renumbered: 0,
  bad: 0,
  leftOut: 0,
  /** Left out, as they seem to contain secrets. */
  withheld: 0,
  /** The first `maxListedIds` ids of each. */
  updatedIds: [] as number[],
  leftIds: [] as number[],
  renumberedIds: [] as number[],
});

const maxListedIds = 1_000;

/** Outcomes whose ids are reported. */
const listedOutcomes = ['updated', 'left', 'renumbered'] as const;

type CountedOutcome = MergeOutcome | 'versions' | 'renumbered' | 'retitled';

/** Counts a note, and records its id if the report lists those. */
export function countOutcomeAndListId(report: ImportReport, what: CountedOutcome, id?: number): void {
  report[what]++;
  const listing = listedOutcomes.find((name) => name === what);
  const ids = listing && report[`${listing}Ids`];
  if (id !== undefined && ids !== undefined && ids.length < maxListedIds) ids.push(id);
}
