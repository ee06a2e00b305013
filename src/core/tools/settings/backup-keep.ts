/** Retention of backups: the newest one of each of so many days and weeks, within `maxBytes`. */
export interface BackupKeep {
  /** 1 or more. */
  readonly daily: number;
  readonly weekly: number;
  /** In total. */
  readonly maxBytes: number;
}

const unitBytes: Readonly<Record<string, number>> = { MiB: 2 ** 20, GiB: 2 ** 30 };

/** Throws an error that completes "… must be". */
export function parseBackupKeep(text: string): BackupKeep {
  const [, daily, weekly, size, unit = ''] = /^(\d{1,4})[ ,]+(\d{1,4})(?:[ ,]+(\d{1,6}) ?(MiB|GiB))?$/.exec(text) ?? [];
  const maxBytes = size === undefined ? Number.POSITIVE_INFINITY : Number(size) * (unitBytes[unit] ?? 1);
  if (Number(daily) >= 1) return { daily: Number(daily), weekly: Number(weekly), maxBytes };
  throw new Error('like 7,4 or 7,4,2GiB: at least one daily backup, weekly ones, and the largest size of all of them');
}
