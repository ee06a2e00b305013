/** Shows the list of the last visit before the service answers. Loaded where there is one. */
import type { Note } from '../../../domain/note.ts';
import { loading, showFirst, showTold } from '../notes.ts';
import { type Base, openDatabase, readHead, readRest } from './database.ts';
import { setListKept } from './is-kept.ts';

/** Without the database for so long, in ms, the list is asked for. */
const patienceMs = 1_000;

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
  const database = await openDatabase();
  const head = await readHead(database);
  if (head === undefined) return forget();
  showFirst(head.first);
  const rest = await readRest(database, head);
  database.close();
  if (rest === undefined) return forget();
  if (loading.value.kind === 'ready') return false;
  lastBase = rest.base;
  showTold({ ...head, notes: applied(rest.changes, rest.base.notes) });
  return true;
}

function applied(changes: readonly Note[], to: readonly Note[]): readonly Note[] {
  const changed = new Set(changes.map(({ id }) => id));
  return [...changes, ...to.filter(({ id }) => !changed.has(id))];
}
