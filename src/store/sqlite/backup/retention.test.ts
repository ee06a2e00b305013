import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { BackupKeep } from '../../../shared/settings/backup-keep.ts';
import { dayMs, expired } from './retention.ts';

const monday = Date.parse('2026-11-16T00:00:00Z');
const keep: BackupKeep = { daily: 7, weekly: 4, maxBytes: Number.POSITIVE_INFINITY };

const daily = (days: number, bytes = 1) =>
  Array.from({ length: days }, (_, day) => ({ at: monday + day * dayMs, bytes }));

/** The days that are kept, counted from a Monday. */
function daysKept(backups: readonly { at: number; bytes: number }[], rules: BackupKeep, now: number): number[] {
  const gone = new Set(expired(backups, rules, now));
  return backups.filter((backup) => !gone.has(backup)).map(({ at }) => Math.floor((at - monday) / dayMs));
}

const dayOf = (at: number) => Math.floor(at / dayMs);
const weekOf = (at: number) => Math.floor((dayOf(at) + 3) / 7);

describe('expired', () => {
  test('keeps 7 days, and the Sundays of 3 weeks before', () => {
    const now = monday + 30 * dayMs; // a Wednesday

    expect(daysKept(daily(31), keep, now)).toEqual([13, 20, 24, 25, 26, 27, 28, 29, 30]);
  });

  test('keeps the same backups when it runs daily as when it runs once', () => {
    let kept: { at: number; bytes: number }[] = [];
    for (const backup of daily(200)) {
      kept = [...kept, backup];
      const gone = new Set(expired(kept, keep, backup.at));
      kept = kept.filter((one) => !gone.has(one));
    }

    expect(daysKept(kept, keep, monday + 199 * dayMs)).toEqual(daysKept(daily(200), keep, monday + 199 * dayMs));
    expect(kept).toHaveLength(9);
  });

  test('keeps days that are far apart, however old they are', () => {
    const backups = [0, 100, 200].map((day) => ({ at: monday + day * dayMs, bytes: 1 }));

    expect(expired(backups, keep, monday + 1000 * dayMs)).toEqual([]);
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

  test('keeps the newest of any backups, and no more than any rules allow', () => {
    const backups = fc.uniqueArray(
      fc.record({ at: fc.integer({ min: 0, max: 90 * dayMs }), bytes: fc.integer({ min: 1, max: 100 }) }),
      { selector: ({ at }) => at, maxLength: 60 },
    );
    const rules = fc.record({
      daily: fc.integer({ min: 1, max: 9 }),
      weekly: fc.integer({ min: 0, max: 9 }),
      maxBytes: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.constant(Number.POSITIVE_INFINITY)),
    });

    fc.assert(
      fc.property(backups, rules, fc.integer({ min: 0, max: 100 * dayMs }), (all, chosen, now) => {
        const gone = new Set(expired(all, chosen, now));
        const kept = all.filter((backup) => !gone.has(backup));
        const past = all.filter(({ at }) => at <= now).sort((a, b) => b.at - a.at);

        const [newest] = past;
        if (newest) expect(kept).toContain(newest);
        expect(kept.length > 0).toBe(all.length > 0);
        expect(kept.length).toBeLessThanOrEqual(chosen.daily + chosen.weekly);
        const bytes = kept.reduce((sum, backup) => sum + backup.bytes, 0);
        if (kept.length > 1) expect(bytes).toBeLessThanOrEqual(chosen.maxBytes);
        if (chosen.maxBytes !== Number.POSITIVE_INFINITY) return;
        const days = new Set(past.map(({ at }) => dayOf(at)));
        const weeks = new Set(past.map(({ at }) => weekOf(at)));
        const keptPast = kept.filter(({ at }) => at <= now);
        const keptDays = new Set(keptPast.map(({ at }) => dayOf(at)));
        const keptWeeks = new Set(keptPast.map(({ at }) => weekOf(at)));
        for (const day of [...days].sort((a, b) => b - a).slice(0, chosen.daily)) expect(keptDays).toContain(day);
        for (const week of [...weeks].sort((a, b) => b - a).slice(0, chosen.weekly)) expect(keptWeeks).toContain(week);
      }),
    );
  });
});
