import { cutReasonBeforeCounts } from '../../formats/cut-reason-before-counts.ts';
import { getEndingOrEmpty } from '../../formats/file-names.ts';
import type { SkippedRecord } from '../../formats/record.ts';

/** What is not imported for the same reason. */
export interface LeftOutReason {
  readonly reason: string;
  /** The number of notes and files. */
  readonly count: number;
  /** Where they are, each place once. */
  readonly locations: readonly string[];
}

/** Groups what is not imported by its reason, and files of a folder that no format reads by their ending. */
export function groupByReason(records: readonly SkippedRecord[]): readonly LeftOutReason[] {
  const groups = new Map<string, { count: number; locations: Set<string> }>();
  for (const { reason, location, count } of records.flatMap(splitUnreadFiles)) {
    const group = groups.get(reason) ?? { count: 0, locations: new Set() };
    group.count += count;
    group.locations.add(location);
    groups.set(reason, group);
  }
  const reasons = Array.from(groups, ([reason, group]) => ({ reason, ...group, locations: [...group.locations] }));
  return reasons.sort((one, other) => other.count - one.count);
}

function splitUnreadFiles({ reason, location, count = 1, unread }: SkippedRecord) {
  if (unread === undefined) return [{ reason: cutReasonBeforeCounts(reason), location, count: Math.max(1, count) }]; // a part has the count 0
  return unread.map((path) => {
    const ending = getEndingOrEmpty(path);
    return { reason: `No format reads it (${ending || 'no ending'})`, location: path, count: 1 };
  });
}

const maxLocations = 3;

/** "a.txt, b.txt, c.txt and 2 more" */
export function formatLocations({ locations }: LeftOutReason): string {
  const names = locations.slice(0, maxLocations).join(', ');
  const more = locations.length - maxLocations;
  return more > 0 ? `${names} and ${more.toLocaleString()} more` : names;
}
