import { describe, expect, test } from 'bun:test';
import type { BackupRetention } from '../../../core/setting-values.ts';
import { dayMs, selectExpiredBackups } from './backup-retention.ts';

const monday = Date.parse('2026-11-16T00:00:00Z');
const keep: BackupRetention = { daily: 7, weekly: 4, maxBytes: Number.POSITIVE_INFINITY };

const daily = (days: number, bytes = 1) =>
  Array.from({ length: days }, (_, day) => ({ at: monday + day * dayMs, bytes }));

/** Returns the days whose backups did not expire, counted from a Monday. */
function daysKept(backups: readonly { at: number; bytes: number }[], rules: BackupRetention, now: number): number[] {
  const gone = new Set(selectExpiredBackups(backups, rules, now));
  return backups.filter((backup) => !gone.has(backup)).map(({ at }) => Math.floor((at - monday) / dayMs));
}

describe('expired', () => {
  test('keeps 7 days, and the Sundays of 3 weeks before', () => {
    const now = monday + 30 * dayMs; // a Wednesday

    expect(daysKept(daily(31), keep, now)).toEqual([13, 20, 24, 25, 26, 27, 28, 29, 30]);
  });

  test('removes the oldest when all take too much space, but never the newest', () => {
    const now = monday + 4 * dayMs;

    expect(daysKept(daily(5, 10), { ...keep, maxBytes: 30 }, now)).toEqual([2, 3, 4]);
    expect(daysKept(daily(5, 10), { ...keep, maxBytes: 1 }, now)).toEqual([4]);
  });

  test('treats backups dated in the future as the oldest, so that a clock error does not expire new ones', () => {
    const future = Array.from({ length: 20 }, (_, day) => ({ at: monday + (3_000 + day) * dayMs, bytes: 1 }));
    const now = monday + 6 * dayMs;

    expect(daysKept([...future, ...daily(1)], keep, monday)).toContain(0);
    expect(daysKept([...future, ...daily(7)], { ...keep, weekly: 0 }, now)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});
