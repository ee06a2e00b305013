/** Shows the list of the last visit before the service answers. Loaded where there is one. */
import type { Note } from '../../../domain/note.ts';
import { newestFirst } from '../../../domain/sort.ts';
import {
  entityTag,
  listCursor,
  loading,
  notes,
  offline,
  outOfDate,
  showFirst,
  type ToldList,
  toldAt,
} from '../notes.ts';
import { type Base, openKept, readRest } from './database.ts';
import { painted } from './first-notes.ts';
import { setListKept } from './is-kept.ts';

/** Without the database for so long, in ms, the list is asked for. */
const patienceMs = 1_000;

/** After so long without an answer, in ms, the page says that its list may be old. */
const lateMs = 3_000;

/** What the list was read from. */
export let lastBase: Base | undefined;

/** Shows the list of the last visit: its first notes at once, then all. False where there is none, or not in time. */
export async function showLastVisit(): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), patienceMs));
  return Promise.race([show().catch(forget), late]);
}

function forget(): false {
  setListKept(false);
  showFirst([]);
  return false;
}

async function show(): Promise<boolean> {
  const { database, head } = await (window.keptList ?? openKept());
  if (head === undefined) return forget();
  showFirst(head.first);
  await painted();
  const rest = await readRest(database, head);
  database.close();
  if (rest === undefined) return forget();
  if (loading.value.kind === 'ready') return false;
  lastBase = rest.base;
  setTimeout(sayIfLate, lateMs);
  showTold({ ...head, notes: applied(rest.changes, rest.base.notes) });
  return true;
}

function applied(changes: readonly Note[], to: readonly Note[]): readonly Note[] {
  const changed = new Set(changes.map(({ id }) => id));
  return [...changes, ...to.filter(({ id }) => !changed.has(id))];
}

/** Shows a list that may be out of date. */
function showTold(list: ToldList): void {
  entityTag.now = list.entityTag;
  notes.value = list.notes.toSorted(newestFirst);
  listCursor.value = list.cursor;
  toldAt.value = list.at;
  loading.value = { kind: 'ready' };
}

/** What the page says of a list of the last visit that the service has neither confirmed nor changed. */
function sayIfLate(): void {
  if (toldAt.value !== undefined && !offline.value) outOfDate.value = 'The service has not answered yet';
}
