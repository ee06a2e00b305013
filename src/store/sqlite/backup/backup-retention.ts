import type { BackupRetention } from '../../../core/setting-values.ts';
import type { BackupFile } from './backup-names.ts';

export const dayMs = 24 * 60 * 60 * 1000;

/** The time of a backup, in ms since 1970, and its size. */
type DatedFile = Pick<BackupFile, 'at' | 'bytes'>;

/** Days since 1970. */
const getBackupDayNumber = ({ at }: DatedFile) => Math.floor(at / dayMs);
/** Weeks since 1970. They start on Monday; 1970 began on a Thursday. */
const getBackupWeekNumber = (backup: DatedFile) => Math.floor((getBackupDayNumber(backup) + 3) / 7);

/**
 * Selects the backups to delete. The newest ones of so many days and of so many weeks, in UTC, remain while together
 * they do not exceed the size; the newest one remains in any case. Backups dated after `now` count as the oldest ones:
 * after an error of the clock, later backups must not look outdated.
 *
 * Example: with two days and one week, of backups at Monday 8:00, Monday 20:00, Tuesday and Wednesday, those of Tuesday
 * and Wednesday remain as newest of their days; the one of Wednesday is also the newest of its week.
 */
export function selectExpiredBackups<File extends DatedFile>(
  files: readonly File[],
  retention: BackupRetention,
  now: number,
): readonly File[] {
  const rank = ({ at }: DatedFile) => (at > now ? at - Number.MAX_SAFE_INTEGER : at);
  const ordered = files.toSorted((a, b) => rank(b) - rank(a));
  const chosen = new Set([
    ...selectFirstOfEachPeriod(ordered, getBackupDayNumber, retention.daily),
    ...selectFirstOfEachPeriod(ordered, getBackupWeekNumber, retention.weekly),
  ]);
  let chosenBytes = 0;
  return ordered.filter((backup, index) => {
    if (!chosen.has(backup)) return true;
    chosenBytes += backup.bytes;
    return index > 0 && chosenBytes > retention.maxBytes;
  });
}

/** Selects the first backup, which is the newest, of each of the first `count` periods. */
function selectFirstOfEachPeriod<Backup>(
  ordered: readonly Backup[],
  toPeriod: (backup: Backup) => number,
  count: number,
) {
  const periods = Map.groupBy(ordered, toPeriod).values();
  return periods.take(count).map(([newest]) => newest);
}
