import { computed, effect, signal } from '@preact/signals';
import { createClient } from '../../client/client.ts';
import { draftFields } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import type { Note, NoteDraft, NotePatch } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { hasSameFields } from '../../core/versions.ts';

const base = new URL('.', document.baseURI).href;
export const client = createClient(base, { send });

export const signedOut = signal(false);

async function send(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  signedOut.value = answer.status === 401;
  return answer;
}

let waiting = new AbortController();
const lists = createClient(base, {
  send: (url, init) => send(url, { ...init, signal: AbortSignal.any([waiting.signal, ...[init.signal ?? []].flat()]) }),
});

/** All notes, archived ones too; last changed first. */
export const notes = signal<readonly Note[]>([]);

type Loading = { readonly kind: 'loading' | 'ready' } | { readonly kind: 'failed'; readonly text: string };
export const loading = signal<Loading>({ kind: 'loading' });

export const hasNoNotes = computed(() => loading.value.kind === 'ready' && notes.value.length === 0);

export const loaded = new Promise<void>((resolve) => {
  effect(() => {
    if (loading.value.kind === 'ready') resolve();
  });
});

/** Whether the service is unreachable. Loaded notes stay readable. */
export const offline = signal(false);

/** The error of the last refresh, if the service is reachable. */
export const outOfDate = signal<string | undefined>(undefined);

/** When the shown list was last in sync, in ms since 1970; undefined while it is in sync. */
export const snapshotAt = signal<number | undefined>(undefined);

export function setInSync(): void {
  offline.value = false;
  outOfDate.value = undefined;
  snapshotAt.value = undefined;
}

export const listCursor = signal<string | undefined>(undefined);

/** The entity tag of the loaded list; undefined once one of its notes has changed. */
export const listTag: { value: string | undefined } = { value: undefined };
let changes = 0;
let writesUnderWay = 0;
let refreshing: Promise<boolean> | undefined;

/** Whether a write is under way; its response should be handled before other changes of its note. */
export const isWriting = () => writesUnderWay > 0;

/** Loads the list if it has changed. Resolves to false if that failed or a write made it stale. */
export function refresh(): Promise<boolean> {
  refreshing ??= load().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

export async function retry(): Promise<void> {
  waiting.abort();
  waiting = new AbortController();
  loading.value = { kind: 'loading' };
  await refreshing;
  await refresh();
}

async function load(): Promise<boolean> {
  const before = changes;
  const { signal } = waiting;
  try {
    const list = await lists.listUnless(listTag.value);
    setInSync();
    if (list === undefined) return true;
    if (writesUnderWay > 0 || before !== changes) {
      if (loading.value.kind !== 'ready') setTimeout(refresh, 250);
      return false;
    }
    listTag.value = list.entityTag;
    notes.value = merge(list.notes);
    listCursor.value = list.cursor;
    loading.value = { kind: 'ready' };
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const text = failureText(error);
    if (loading.value.kind !== 'ready') loading.value = { kind: 'failed', text };
    else outOfDate.value = offline.value ? undefined : text;
    return false;
  }
}

/** Reuses the objects of unchanged notes, which are cache keys. */
function merge(list: readonly Note[]): readonly Note[] {
  const known = new Map(notes.value.map((note) => [note.id, note]));
  const reused = (note: Note) => {
    const old = known.get(note.id);
    return old && old.updatedAt === note.updatedAt && old.archived === note.archived && hasSameFields(old, note)
      ? old
      : note;
  };
  return list.map(reused).sort(byPosition);
}

export function showFirst(first: readonly Note[]): void {
  if (loading.value.kind === 'loading') notes.value = first;
}

function putNote(note: Note): void {
  changes++;
  listTag.value = undefined;
  const others = notes.value.filter(({ id }) => id !== note.id);
  const at = others.findIndex((other) => byPosition(note, other) < 0);
  notes.value = others.toSpliced(at < 0 ? others.length : at, 0, note);
}

/** Merges notes that others may have written, if newer than the known ones. */
export function takeNotes(received: readonly Note[]): void {
  const known = new Map(notes.value.map((note) => [note.id, note.updatedAt]));
  const newer = new Map(received.map((note) => [note.id, note]));
  for (const note of newer.values()) if (note.updatedAt <= (known.get(note.id) ?? '')) newer.delete(note.id);
  if (newer.size === 0) return;
  changes++;
  listTag.value = undefined;
  notes.value = [...newer.values(), ...notes.value.filter(({ id }) => !newer.has(id))].sort(byPosition);
}

export const noteById = (id: number): Note | undefined => notes.value.find((note) => note.id === id);

export const create = (draft: NoteDraft): Promise<Note> => write(() => client.create(draft));

/** Changes what differs from a note. Fails with `conflict` if that is not the stored one. */
export const update = (note: Note, fields: NotePatch): Promise<Note> => write(() => sendUpdate(note, fields));

export function sendUpdate(note: Note, fields: NotePatch): Promise<Note> {
  const names = draftFields.filter((name) => fields[name] !== undefined && fields[name] !== note[name]);
  return client.update(note.id, Object.fromEntries(names.map((name) => [name, fields[name]])), [note.updatedAt]);
}

/** The stored note behind each optimistically shown one. */
const originals = new WeakMap<Note, Note>();
/** The last archiving of each note; the next one waits for it, so that the last one wins. */
const archivings = new Map<Note['id'], Promise<unknown>>();

/** Shown at once, and reverted on failure. The note gets the position of `before`, a former state, or the first. */
export async function setArchived(note: Note, archived: boolean, before?: Note): Promise<void> {
  const shown = { ...note, archived, updatedAt: new Date().toISOString() };
  const original = originals.get(note) ?? note;
  originals.set(shown, original);
  const isShown = () => noteById(note.id) === shown;
  const last = archivings.get(note.id) ?? Promise.resolve();
  const placed = (note: Note) => {
    if (before) keepPosition(note, before);
    return note;
  };
  putNote(placed(shown));
  const stored = write(() => last.then(() => client.setArchived(note.id, archived)).then(placed), isShown);
  archivings.set(
    note.id,
    stored.catch(() => {}),
  );
  try {
    await stored;
  } catch (error) {
    if (isShown()) putNote(original);
    void refresh();
    throw error;
  }
}

export async function whileWriting<Result>(work: Promise<Result>): Promise<Result> {
  writesUnderWay++;
  try {
    return await work;
  } finally {
    changes++;
    writesUnderWay--;
  }
}

export async function fetchNote(id: number): Promise<Note> {
  const note = await client.get(id);
  putNote(note);
  return note;
}

/** Sends a change; `isWanted`: whether to show its response. */
async function write(send: () => Promise<Note>, isWanted = () => true): Promise<Note> {
  try {
    const note = await whileWriting(send());
    offline.value = false;
    if (isWanted()) putNote(note);
    return note;
  } catch (error) {
    if (mayBeStored(error)) listTag.value = undefined; // requests the whole list
    failureText(error);
    throw error;
  }
}

const mayBeStored = (error: unknown) => error instanceof NoteError && error.outcome === 'unknown';

export function writeFailureText(said: string, error: unknown): string {
  return `${said}${mayBeStored(error) ? ', or its answer was lost' : ''}: ${failureText(error)}`;
}

/** The message of an error; updates `offline`. Rethrows any other than a `NoteError`: a bug. */
export function failureText(error: unknown): string {
  if (!(error instanceof NoteError)) throw error;
  offline.value = error.code === 'unreachable';
  return signedOut.value ? 'The session has ended' : error.message; // that of the service is for programs
}

/** By id: the `updatedAt` of the restored note, and the time to sort it by. */
const positions = new Map<Note['id'], { readonly updatedAt: string; readonly sortTime: string }>();

/** Keeps a note at the position of a former state, until its next write. */
export function keepPosition({ id, updatedAt }: Note, before: Note): void {
  positions.set(id, { updatedAt, sortTime: sortTimeOf(before) });
}

export function sortTimeOf({ id, updatedAt }: Pick<Note, 'id' | 'updatedAt'>): string {
  const position = positions.get(id);
  return position?.updatedAt === updatedAt ? position.sortTime : updatedAt;
}

const withSortTime = (note: Note) => ({ id: note.id, updatedAt: sortTimeOf(note) });

const byPosition = (one: Note, other: Note): number =>
  positions.size === 0 ? compareNewestFirst(one, other) : compareNewestFirst(withSortTime(one), withSortTime(other));
