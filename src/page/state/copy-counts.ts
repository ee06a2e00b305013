/** The notes copied most in this browser, recent copies counting more. */
import { type Signal, signal } from '@preact/signals';
import { pagePath, readStorageArrayOrEmpty, readStorageItem, writeOrRemoveStorageItem } from './page-storage.ts';

const copyScoresKey = `notes.copied:${pagePath}`;
const copyCountKey = `notes.copy-count:${pagePath}`;

/** The numbers of remembered notes, and of notes moved to the top. */
const maxIds = { kept: 200, first: 5 };

const halfLifeMs = 7 * 24 * 3_600_000;

/** Notes whose decayed count is lower are not moved to the top. */
const minOftenCopies = 0.25;

/** The score is the time at which a single copy counts as much as all copies, in half-lives since 1970. */
type Score = readonly [id: number, score: number];

const isScore = (value: unknown): value is Score =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));

const readCopyScores = () => readStorageArrayOrEmpty(copyScoresKey).filter(isScore);

function listOftenCopiedIds(scores: readonly Score[]): readonly number[] {
  const minScore = Date.now() / halfLifeMs + Math.log2(minOftenCopies);
  return scores
    .filter(([, score]) => score >= minScore)
    .slice(0, maxIds.first)
    .map(([id]) => id);
}

/**
 * The ids of all remembered notes, most used first. Updated only by `refreshCopiedIds`, so that no row moves while in
 * use.
 */
export const mostCopiedIds = signal(readCopyScores().map(([id]) => id));

/** The ids of those at the top of the list, updated at the same time. */
export const oftenCopiedIds = signal(listOftenCopiedIds(readCopyScores()));

export function refreshCopiedIds(): void {
  const scores = readCopyScores();
  replaceIfDifferent(
    mostCopiedIds,
    scores.map(([id]) => id),
  );
  replaceIfDifferent(oftenCopiedIds, listOftenCopiedIds(scores));
}

function replaceIfDifferent(ids: Signal<readonly number[]>, next: readonly number[]): void {
  if (next.join() !== ids.peek().join()) ids.value = next;
}

/** The number of copies of notes that were made in this browser. */
export const copyCount = signal(Number(readStorageItem(copyCountKey)) || 0);

export function recordCopy(id: number): void {
  const now = Date.now() / halfLifeMs;
  const scores = new Map(readCopyScores());
  scores.set(id, now + Math.log2(2 ** ((scores.get(id) ?? Number.NEGATIVE_INFINITY) - now) + 1));
  const largest = [...scores].sort(([, one], [, other]) => other - one).slice(0, maxIds.kept);
  writeOrRemoveStorageItem(copyScoresKey, JSON.stringify(largest));
  copyCount.value++;
  writeOrRemoveStorageItem(copyCountKey, String(copyCount.value));
}
