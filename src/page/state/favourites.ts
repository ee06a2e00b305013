/** The notes copied most in this browser, recent copies counting more; first in the list without a search. */
import { signal } from '@preact/signals';
import { pagePath, readJson, writeItem } from './storage.ts';

const key = `notes.copied:${pagePath}`;

/** The numbers of remembered notes, and of notes moved to the top. */
const max = { kept: 200, first: 5 };

/** A copy counts half as much after a week. */
const halfLifeMs = 7 * 24 * 3_600_000;

/** Notes whose decayed count is lower are not moved to the top. */
const minCopies = 0.25;

/** The score is the time at which a single copy counts as much as all copies, in half-lives since 1970. */
type Score = readonly [id: number, score: number];

const isScore = (value: unknown): value is Score =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));

function read(): Score[] {
  const stored = readJson(key);
  return Array.isArray(stored) ? stored.filter(isScore) : [];
}

function first(): readonly number[] {
  const minScore = Date.now() / halfLifeMs + Math.log2(minCopies);
  const scores = read().filter(([, score]) => score >= minScore);
  return scores.slice(0, max.first).map(([id]) => id);
}

/** Ids, most used first. Updated only by `updateOftenCopied`, so that no row moves while in use. */
export const oftenCopied = signal(first());

export function updateOftenCopied(): void {
  const ids = first();
  if (ids.join() !== oftenCopied.peek().join()) oftenCopied.value = ids;
}

export const copies = signal(0);

export function countCopy(id: number): void {
  const now = Date.now() / halfLifeMs;
  const scores = read();
  const before = scores.find(([other]) => other === id)?.[1] ?? Number.NEGATIVE_INFINITY;
  const others = scores.filter(([other]) => other !== id);
  const counted: Score = [id, now + Math.log2(2 ** (before - now) + 1)];
  const largest = [...others, counted].sort(([, one], [, other]) => other - one).slice(0, max.kept);
  writeItem(key, JSON.stringify(largest));
  copies.value++;
}

export const pinnedKey = `notes.pinned:${pagePath}`;

export function readPinned(): ReadonlySet<number> {
  const stored = readJson(pinnedKey);
  return new Set(Array.isArray(stored) ? stored.filter(Number.isSafeInteger) : []);
}

export const pinned = signal(readPinned());

window.addEventListener('storage', (event) => {
  if (event.key === pinnedKey) pinned.value = readPinned();
});
