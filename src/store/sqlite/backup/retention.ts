import type { BackupKeep } from '../../../core/tools/settings/backup-keep.ts';

/** A backup begun at `at`, in ms since 1970. */
export interface Dated {
  readonly at: number;
  readonly bytes: number;
}

export const dayMs = 24 * 60 * 60 * 1000;

const dayOf = ({ at }: Dated) => Math.floor(at / dayMs);
/** Weeks start on Monday; 1970 began on a Thursday. */
const weekOf = (backup: Dated) => Math.floor((dayOf(backup) + 3) / 7);

/**
 * Returns the backups to remove, by days and weeks in UTC, never the newest. Backups dated after `now` count as the
 * oldest: after a clock error, later backups must not look outdated.
 */
export function expired<Backup extends Dated>(
  backups: readonly Backup[],
  keep: BackupKeep,
  now: number,
): readonly Backup[] {
  const rank = ({ at }: Dated) => (at > now ? at - Number.MAX_SAFE_INTEGER : at);
  const ordered = backups.toSorted((a, b) => rank(b) - rank(a));
  const chosen = new Set([...newestOfEach(ordered, dayOf, keep.daily), ...newestOfEach(ordered, weekOf, keep.weekly)]);
  let bytes = 0;
  return ordered.filter((backup, index) => {
    if (!chosen.has(backup)) return true;
    bytes += backup.bytes;
    return index > 0 && bytes > keep.maxBytes;
  });
}

function newestOfEach<Backup>(ordered: readonly Backup[], periodOf: (backup: Backup) => number, count: number) {
  const periods = Map.groupBy(ordered, periodOf).values();
  return periods.take(count).map(([newest]) => newest);
}
