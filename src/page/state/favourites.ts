/** The notes pinned in this browser, and those copied most in it, recent copies counting more. */
import { signal } from '@preact/signals';
import { pagePath, readJson, writeItem } from './storage.ts';

const pinnedKey = `notes.pinned:${pagePath}`;
const copiedKey = `notes.copied:${pagePath}`;

function read<Item>(key: string, isItem: (value: unknown) => value is Item): Item[] {
  const stored = readJson(key);
  return Array.isArray(stored) ? stored.filter(isItem) : [];
}

const readPinned = (): ReadonlySet<number> => new Set(read(pinnedKey, (id): id is number => Number.isSafeInteger(id)));

export const pinned = signal(readPinned());

window.addEventListener('storage', ({ key }) => {
  if (key === pinnedKey) pinned.value = readPinned();
});

export function setPinned(ids: readonly number[], isPinned: boolean): void {
  const next = new Set(readPinned()); // another tab may have pinned others
  for (const id of ids) isPinned ? next.add(id) : next.delete(id);
  writeItem(pinnedKey, next.size > 0 ? JSON.stringify([...next]) : undefined);
  pinned.value = next;
}

/** The numbers of remembered notes, and of notes moved to the top. */
const max = { kept: 200, first: 5 };

const halfLifeMs = 7 * 24 * 3_600_000;

/** Notes whose decayed count is lower are not moved to the top. */
const minCopies = 0.25;

/** The score is the time at which a single copy counts as much as all copies, in half-lives since 1970. */
type Score = readonly [id: number, score: number];

const isScore = (value: unknown): value is Score =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));

function oftenCopiedNow(): readonly number[] {
  const minScore = Date.now() / halfLifeMs + Math.log2(minCopies);
  const scores = read(copiedKey, isScore).filter(([, score]) => score >= minScore);
  return scores.slice(0, max.first).map(([id]) => id);
}

/** Ids, most used first. Updated only by `updateOftenCopied`, so that no row moves while in use. */
export const oftenCopied = signal(oftenCopiedNow());

export function updateOftenCopied(): void {
  const ids = oftenCopiedNow();
  if (ids.join() !== oftenCopied.peek().join()) oftenCopied.value = ids;
}

export const copies = signal(0);

export function countCopy(id: number): void {
  const now = Date.now() / halfLifeMs;
  const scores = new Map(read(copiedKey, isScore));
  scores.set(id, now + Math.log2(2 ** ((scores.get(id) ?? Number.NEGATIVE_INFINITY) - now) + 1));
  const largest = [...scores].sort(([, one], [, other]) => other - one).slice(0, max.kept);
  writeItem(copiedKey, JSON.stringify(largest));
  copies.value++;
}
