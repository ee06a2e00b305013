/** The notes that were copied recently and often in this browser: they come first where nothing is searched for. */
import { signal } from '@preact/signals';
import { pagePath, readJson, writeItem } from '../storage.ts';

const key = `notes.copied:${pagePath}`;

/** How many notes are kept, and how many come first. */
const max = { kept: 200, first: 5 };

/** A copy counts half as much after a week. */
const halfLifeMs = 7 * 24 * 3_600_000;

/** A note whose copies have come down to less than this is not first any more. */
const leastCopies = 0.25;

/** The id of a note, and when one copy of it would count as much as all of them do, in half-lives since 1970. */
type Score = readonly [id: number, score: number];

const isScore = (value: unknown): value is Score =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));

function read(): Score[] {
  const kept = readJson(key);
  return Array.isArray(kept) ? kept.filter(isScore) : [];
}

function first(): readonly number[] {
  const least = Date.now() / halfLifeMs + Math.log2(leastCopies);
  const scores = read().filter(([, score]) => score >= least);
  return scores.slice(0, max.first).map(([id]) => id);
}

/** Ids, the most used one first. They change only by `updateOftenCopied`, so that no row moves under a hand. */
export const oftenCopied = signal(first());

export function updateOftenCopied(): void {
  const ids = first();
  if (ids.join() !== oftenCopied.peek().join()) oftenCopied.value = ids;
}

/** How many copies were made since the page was loaded. */
export const copies = signal(0);

export function countCopy(id: number): void {
  const now = Date.now() / halfLifeMs;
  const scores = read();
  const before = scores.find(([other]) => other === id)?.[1] ?? Number.NEGATIVE_INFINITY;
  const others = scores.filter(([other]) => other !== id);
  const counted: Score = [id, now + Math.log2(2 ** (before - now) + 1)];
  const kept = [...others, counted].sort(([, one], [, other]) => other - one).slice(0, max.kept);
  writeItem(key, JSON.stringify(kept));
  copies.value++;
}
