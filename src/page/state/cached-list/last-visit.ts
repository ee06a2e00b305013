/** Shows the list of the last visit before the service responds. */
import type { Note } from '../../../core/note.ts';
import { newestFirst } from '../../../core/sort.ts';
import {
  entityTag,
  type ListSnapshot,
  listCursor,
  loading,
  notes,
  offline,
  outOfDate,
  showFirst,
  snapshotAt,
} from '../notes.ts';
import { type Base, openCache, readRest } from './database.ts';
import { firstNotesPainted } from './first-notes.ts';
import { setListCached } from './is-cached.ts';

/** The timeout of the database, in ms; after it, the list is requested. */
const timeoutMs = 1_000;

/** In ms without a response, before the page warns that its list may be stale. */
const lateMs = 3_000;

/** The base of the shown list. */
export let lastBase: Base | undefined;

/** Shows the list of the last visit: its first notes at once, then all. False if there is none, or not in time. */
export async function showLastVisit(): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), timeoutMs));
  return Promise.race([show().catch(discardCached), late]);
}

function discardCached(): false {
  setListCached(false);
  showFirst([]);
  return false;
}

async function show(): Promise<boolean> {
  const { database, head } = await (window.cachedList ?? openCache());
  if (head === undefined) return discardCached();
  showFirst(head.first);
  await firstNotesPainted();
  const rest = await readRest(database, head);
  database.close();
  if (rest === undefined) return discardCached();
  if (loading.value.kind === 'ready') return false;
  lastBase = rest.base;
  setTimeout(sayIfLate, lateMs);
  showSnapshot({ ...head, notes: applied(rest.changes, rest.base.notes) });
  return true;
}

function applied(changes: readonly Note[], to: readonly Note[]): readonly Note[] {
  const changed = new Set(changes.map(({ id }) => id));
  return [...changes, ...to.filter(({ id }) => !changed.has(id))];
}

/** Shows a list that may be stale. */
function showSnapshot(list: ListSnapshot): void {
  entityTag.now = list.entityTag;
  notes.value = list.notes.toSorted(newestFirst);
  listCursor.value = list.cursor;
  snapshotAt.value = list.at;
  loading.value = { kind: 'ready' };
}

/** Warns if the service has neither confirmed nor replaced the list of the last visit. */
function sayIfLate(): void {
  if (snapshotAt.value !== undefined && !offline.value) outOfDate.value = 'The service has not answered yet';
}
