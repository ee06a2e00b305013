/** Requests to the service, and what their responses change in the list. */
import { createClient } from '../../client/client.ts';
import { draftFields } from '../../core/enums.ts';
import { NoteError } from '../../core/error.ts';
import type { Note, NoteDraft, NotePatch } from '../../core/note.ts';
import { compareNewestFirst } from '../../core/note-order.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import {
  findNoteById,
  getSortTime,
  hasFormerPositions,
  isOffline,
  isSignedOut,
  lastInSyncAt,
  listCursor,
  listLoadState,
  notes,
  setFormerPosition,
  staleListReason,
} from './notes.ts';

export const serviceBaseUrl = new URL('.', document.baseURI).href;
export const client = createClient(serviceBaseUrl, { send: fetchAndUpdateSignedOut });

export async function fetchAndUpdateSignedOut(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  isSignedOut.value = answer.status === 401;
  return answer;
}

let loadAbortController = new AbortController();
const abortableClient = createClient(serviceBaseUrl, {
  send: (url, init) =>
    fetchAndUpdateSignedOut(url, {
      ...init,
      signal: AbortSignal.any([loadAbortController.signal, ...[init.signal ?? []].flat()]),
    }),
});

export function markInSync(): void {
  isOffline.value = false;
  staleListReason.value = undefined;
  lastInSyncAt.value = undefined;
}

/** The entity tag of the loaded list; undefined once one of its notes has changed. */
export const listEntityTag: { value: string | undefined } = { value: undefined };
let listChangeCount = 0;
let writesUnderWay = 0;
let currentRefresh: Promise<boolean> | undefined;

/** Whether a write is under way; its response should be handled before other changes of its note. */
export const isWriteUnderWay = () => writesUnderWay > 0;

export const isListRefreshing = () => currentRefresh !== undefined;

/**
 * Notes that others have written and that wait to be merged. A list that is requested later has their changes: it drops
 * them, as one of them may be of a note that is gone since.
 */
export const unmergedNotes: Note[] = [];

/** Loads the list if it has changed. Resolves to false if that failed or a write made it stale. */
export function tryRefreshList(): Promise<boolean> {
  currentRefresh ??= tryUpdateListIfChanged().finally(() => {
    currentRefresh = undefined;
  });
  return currentRefresh;
}

/** Loads the list by a request that begins from now on: the response of an earlier one may be out of date. */
export async function refreshListByNewRequest(): Promise<boolean> {
  await currentRefresh;
  return tryRefreshList();
}

export async function abortAndReloadList(): Promise<void> {
  loadAbortController.abort();
  loadAbortController = new AbortController();
  listLoadState.value = { kind: 'loading' };
  await refreshListByNewRequest();
}

async function tryUpdateListIfChanged(): Promise<boolean> {
  const before = listChangeCount;
  const { length: receivedBefore } = unmergedNotes;
  const { signal } = loadAbortController;
  try {
    const list = await abortableClient.listIfChanged(listEntityTag.value);
    markInSync();
    if (list && (writesUnderWay > 0 || before !== listChangeCount)) {
      if (listLoadState.value.kind !== 'ready') setTimeout(tryRefreshList, 250);
      return false;
    }
    unmergedNotes.splice(0, receivedBefore);
    if (list) {
      listEntityTag.value = list.entityTag;
      notes.value = reuseUnchangedNotes(list.notes);
      listCursor.value = list.cursor;
      listLoadState.value = { kind: 'ready' };
    }
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const text = handleFailureAndFormat(error);
    if (listLoadState.value.kind !== 'ready') listLoadState.value = { kind: 'failed', text };
    else staleListReason.value = isOffline.value ? undefined : text;
    return false;
  }
}

/** Reuses the objects of unchanged notes, which are cache keys. */
function reuseUnchangedNotes(list: readonly Note[]): readonly Note[] {
  const known = new Map(notes.value.map((note) => [note.id, note]));
  const reused = (note: Note) => {
    const old = known.get(note.id);
    return old && old.updatedAt === note.updatedAt && old.archived === note.archived && hasSameDraftFields(old, note)
      ? old
      : note;
  };
  return list.map(reused).sort(comparePositions);
}

function upsertNoteInList(note: Note): void {
  listChangeCount++;
  listEntityTag.value = undefined;
  const others = notes.value.filter(({ id }) => id !== note.id);
  const at = others.findIndex((other) => comparePositions(note, other) < 0);
  notes.value = others.toSpliced(at < 0 ? others.length : at, 0, note);
}

/** Merges notes that others may have written, if newer than the known ones. */
export function upsertNewerNotes(received: readonly Note[]): void {
  const known = new Map(notes.value.map((note) => [note.id, note.updatedAt]));
  const newer = new Map(received.map((note) => [note.id, note]));
  for (const note of newer.values()) if (note.updatedAt <= (known.get(note.id) ?? '')) newer.delete(note.id);
  if (newer.size === 0) return;
  listChangeCount++;
  listEntityTag.value = undefined;
  notes.value = [...newer.values(), ...notes.value.filter(({ id }) => !newer.has(id))].sort(comparePositions);
}

export const createAndShowNote = (draft: NoteDraft): Promise<Note> => writeAndShowNote(() => client.create(draft));

/** Changes what differs from a note. Fails with `conflict` if that is not the stored one. */
export const updateAndShowNote = (note: Note, fields: NotePatch): Promise<Note> =>
  writeAndShowNote(() => sendChangedFields(note, fields));

export function sendChangedFields(note: Note, fields: NotePatch): Promise<Note> {
  const names = draftFields.filter((name) => fields[name] !== undefined && fields[name] !== note[name]);
  return client.update(note.id, Object.fromEntries(names.map((name) => [name, fields[name]])), [note.updatedAt]);
}

/** The stored note behind each optimistically shown one. */
const storedNotesByShown = new WeakMap<Note, Note>();
/** The last archiving of each note; the next one waits for it, so that the last one wins. */
const lastArchivingsById = new Map<Note['id'], Promise<unknown>>();

/** Shown at once, and reverted on failure. The note gets the position of `before`, a former state, or the first. */
export async function showAndSetArchived(note: Note, archived: boolean, before?: Note): Promise<void> {
  const shown = { ...note, archived, updatedAt: new Date().toISOString() };
  const original = storedNotesByShown.get(note) ?? note;
  storedNotesByShown.set(shown, original);
  const isShown = () => findNoteById(note.id) === shown;
  const last = lastArchivingsById.get(note.id) ?? Promise.resolve();
  const placed = (note: Note) => {
    if (before) setFormerPosition(note, before);
    return note;
  };
  upsertNoteInList(placed(shown));
  const stored = writeAndShowNote(() => last.then(() => client.setArchived(note.id, archived)).then(placed), isShown);
  lastArchivingsById.set(
    note.id,
    stored.catch(() => {}),
  );
  try {
    await stored;
  } catch (error) {
    if (isShown()) upsertNoteInList(original);
    void tryRefreshList();
    throw error;
  }
}

export async function trackWrite<Result>(work: Promise<Result>): Promise<Result> {
  writesUnderWay++;
  try {
    return await work;
  } finally {
    listChangeCount++;
    writesUnderWay--;
  }
}

export async function fetchAndUpsertNote(id: number): Promise<Note> {
  const note = await client.get(id);
  upsertNoteInList(note);
  return note;
}

/** Sends a change; `isWanted`: whether to show its response. */
async function writeAndShowNote(send: () => Promise<Note>, isWanted = () => true): Promise<Note> {
  try {
    const note = await trackWrite(send());
    isOffline.value = false;
    if (isWanted()) upsertNoteInList(note);
    return note;
  } catch (error) {
    if (isWriteOutcomeUnknown(error)) listEntityTag.value = undefined; // requests the whole list
    handleFailureAndFormat(error);
    throw error;
  }
}

const isWriteOutcomeUnknown = (error: unknown) => error instanceof NoteError && error.outcome === 'unknown';

export function handleWriteFailureAndFormat(said: string, error: unknown): string {
  return `${said}${isWriteOutcomeUnknown(error) ? ', or its answer was lost' : ''}: ${handleFailureAndFormat(error)}`;
}

/** The message of an error; updates `isOffline`. Rethrows any other than a `NoteError`: a bug. */
export function handleFailureAndFormat(error: unknown): string {
  if (!(error instanceof NoteError)) throw error;
  isOffline.value = error.code === 'unreachable';
  return isSignedOut.value ? 'The session has ended' : error.message; // that of the service is for programs
}

const toSortKey = (note: Note) => ({ id: note.id, updatedAt: getSortTime(note) });

const comparePositions = (one: Note, other: Note): number =>
  !hasFormerPositions() ? compareNewestFirst(one, other) : compareNewestFirst(toSortKey(one), toSortKey(other));
