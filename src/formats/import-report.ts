import type { MergeOutcome } from '../core/store.ts';

/** The report counts the results of an import. */
export type ImportReport = ReturnType<typeof createEmptyImportReport>;

export const createEmptyImportReport = () => ({
  read: 0,
  added: 0,
  /** Notes that were replaced by a newer state. */
  updated: 0,
  /** Notes of which nothing but the title changed, which is that of the file now. */
  retitled: 0,
  unchanged: 0,
  /** States that are older than the stored note, whose history has them. */
  versions: 0,
  /** Notes that were not stored, as the stored note has another text but the same time. */
  left: 0,
  /** Those of `added` that got a new id, as another note has theirs. */
  renumbered: 0,
  /** Notes that are pinned now, as they were where they come from. */
  pinned: 0,
  /** Notes that were pinned where they come from, and are not here, as no more can be pinned. */
  notPinned: 0,
  bad: 0,
  leftOut: 0,
  /** Notes that were left out, as they seem to contain secrets. */
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

/** Counts the outcome of a note, and lists the id of the note if the report has a list for this outcome. */
export function addOutcomeToReport(report: ImportReport, what: CountedOutcome, id?: number): void {
  report[what]++;
  const listing = listedOutcomes.find((name) => name === what);
  const ids = listing && report[`${listing}Ids`];
  if (id !== undefined && ids !== undefined && ids.length < maxListedIds) ids.push(id);
}
