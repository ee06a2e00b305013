/** The notes that the page knows, kept in step with the service and with other tabs. */
import { effect, signal } from '@preact/signals';
import { createClient } from '../../client/client.ts';
import { NoteError } from '../../domain/error.ts';
import type { Note, NoteDraft, NotePatch } from '../../domain/note.ts';
import { hasNoteFields, hasSameFields } from './note-fields.ts';
import { byPlace, keepPlace } from './order/places.ts';

const base = new URL('.', document.baseURI).href;
export const client = createClient(base, { send });

/** Whether the service asks this browser for a token. */
export const signedOut = signal(false);

async function send(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  signedOut.value = answer.status === 401;
  return answer;
}

/** Ends requests for the list that nobody waits for any more. */
let waiting = new AbortController();
const lists = createClient(base, {
  send: (url, init) => send(url, { ...init, signal: AbortSignal.any([waiting.signal, ...[init.signal ?? []].flat()]) }),
});

/** All notes, archived ones too: the one that was changed last comes first. */
export const notes = signal<readonly Note[]>([]);

export type Loading =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; text: string };
export const loading = signal<Loading>({ kind: 'loading' });

/** Resolves once the list is there. */
export const loaded = new Promise<void>((resolve) => {
  effect(() => {
    if (loading.value.kind === 'ready') resolve();
  });
});

/** Whether the service does not answer. Loaded notes stay readable. */
export const offline = signal(false);

/** The error of the last refresh, from a service that does answer. */
export const outOfDate = signal<string | undefined>(undefined);

/** When the list that is shown was told by the service, in ms since 1970; undefined once it is in step. */
export const toldAt = signal<number | undefined>(undefined);

/** The cursor of the list, where the events after it begin; undefined where there are none. */
export const listCursor = signal<string | undefined>(undefined);

/** Names the state of the list, as long as no note of it has changed. */
export const entityTag: { now: string | undefined } = { now: undefined };
/** Counts changes of single notes: a list that was requested before one may be older. */
let changes = 0;
/** The number of writes under way. */
let writesUnderWay = 0;
let refreshing: Promise<boolean> | undefined;

/** Whether a write is under way, whose answer should come before anything else about its note. */
export const isWriting = () => writesUnderWay > 0;

/** Loads the list if it has changed. False when it failed, or came too late to be shown. */
export function refresh(): Promise<boolean> {
  refreshing ??= load().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

/** Asks for the first list anew, instead of waiting for what has no answer. */
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
    const list = await lists.listUnless(entityTag.now);
    offline.value = false;
    outOfDate.value = undefined;
    toldAt.value = undefined;
    if (list === undefined) return true;
    if (writesUnderWay > 0 || before !== changes) {
      if (loading.value.kind !== 'ready') setTimeout(refresh, 250);
      return false;
    }
    entityTag.now = list.entityTag;
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

/** Keeps the objects of notes that have not changed, with all that is cached by them. */
function merge(list: readonly Note[]): readonly Note[] {
  const known = new Map(notes.value.map((note) => [note.id, note]));
  return list
    .map((note) => {
      const old = known.get(note.id);
      return old && isSame(old, note) ? old : note;
    })
    .sort(byPlace);
}

const isSame = (one: Note, other: Note) =>
  hasSameFields(one, other) &&
  one.updatedAt === other.updatedAt &&
  one.createdAt === other.createdAt &&
  one.archived === other.archived;

/** Shows the first notes of a list while the rest is on its way. */
export function showFirst(first: readonly Note[]): void {
  if (loading.value.kind === 'loading') notes.value = first;
}

/** A list as the service told it, at some time. */
export interface ToldList {
  readonly notes: readonly Note[];
  readonly cursor: string | undefined;
  readonly entityTag: string | undefined;
  /** In ms since 1970. */
  readonly at: number;
}

/** Adds a note, or replaces the one with its id. */
export function putNote(note: Note): void {
  changes++;
  entityTag.now = undefined;
  const others = notes.value.filter(({ id }) => id !== note.id);
  const at = others.findIndex((other) => byPlace(note, other) < 0);
  notes.value = others.toSpliced(at < 0 ? others.length : at, 0, note);
}

/** Takes in notes that others may have written: those that are newer than what is known. */
export function takeNotes(told: readonly Note[]): void {
  const known = new Map(notes.value.map((note) => [note.id, note.updatedAt]));
  const newer = new Map(told.map((note) => [note.id, note]));
  for (const note of newer.values()) if (note.updatedAt <= (known.get(note.id) ?? '')) newer.delete(note.id);
  if (newer.size === 0) return;
  changes++;
  entityTag.now = undefined;
  notes.value = [...newer.values(), ...notes.value.filter(({ id }) => !newer.has(id))].sort(byPlace);
}

export const noteById = (id: number): Note | undefined => notes.value.find((note) => note.id === id);

export const create = (draft: NoteDraft): Promise<Note> => write(() => client.create(draft));

/** Changes a note. Fails with `conflict` if it has changed since `updatedAt`. */
export const update = (id: number, patch: NotePatch, updatedAt: string): Promise<Note> =>
  write(() => client.update(id, patch, [updatedAt]));

/** The stored note behind each one that is shown optimistically. */
const originals = new WeakMap<Note, Note>();
/** The last archiving of each note: the next one waits for it, so that the last one wins. */
const archivings = new Map<Note['id'], Promise<unknown>>();

/**
 * Archives a note or brings it back; shown at once, and reverted if it fails. It takes the place of `before`, a former
 * state of it, or else the first one.
 */
export async function setArchived(note: Note, archived: boolean, before?: Note): Promise<void> {
  const shown = { ...note, archived, updatedAt: new Date().toISOString() };
  const original = originals.get(note) ?? note;
  originals.set(shown, original);
  const isShown = () => noteById(note.id) === shown;
  const last = archivings.get(note.id);
  if (before) keepPlace(shown, before);
  putNote(shown);
  const send = async () => {
    const stored = await client.setArchived(note.id, archived);
    if (before) keepPlace(stored, before);
    return stored;
  };
  const stored = write(() => (last ? last.then(send) : send()), isShown);
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

/** Counts work as a write until it ends. */
export async function whileWriting<Result>(work: Promise<Result>): Promise<Result> {
  writesUnderWay++;
  try {
    return await work;
  } finally {
    changes++;
    writesUnderWay--;
  }
}

/** Loads the stored note. */
export async function fetchNote(id: number): Promise<Note> {
  const note = await client.get(id);
  putNote(note);
  return note;
}

/** Sends a change; `isWanted`: whether its answer is still to be shown. */
async function write(send: () => Promise<Note>, isWanted = () => true): Promise<Note> {
  try {
    const note = await whileWriting(send());
    offline.value = false;
    if (isWanted()) putNote(note);
    channel?.postMessage(note);
    return note;
  } catch (error) {
    if (mayBeStored(error)) entityTag.now = undefined; // the whole list is asked for
    failureText(error);
    throw error;
  }
}

/** Whether a write that failed may have happened all the same. */
const mayBeStored = (error: unknown) => error instanceof NoteError && error.outcome === 'unknown';

/** The message of a failed write: "Not saved", and why. */
export function writeFailureText(said: string, error: unknown): string {
  return `${said}${mayBeStored(error) ? ', as far as is known' : ''}: ${failureText(error)}`;
}

/** The message of an error; updates `offline`. Rethrows what is no `NoteError`: a bug. */
export function failureText(error: unknown): string {
  if (!(error instanceof NoteError)) throw error;
  offline.value = error.code === 'unreachable';
  return error.message;
}

/** Shares writes with other tabs, unless the browser forbids that. */
const channel = openChannel(({ data }) => {
  if (!isNote(data)) return;
  if (loading.value.kind === 'ready') takeNotes([data]);
});

/** Other pages of this origin, and other versions of this one, may send anything. */
const isNote = (data: Partial<Note> | null): data is Note =>
  hasNoteFields(data) &&
  Number.isSafeInteger(data?.id) &&
  [data?.createdAt, data?.updatedAt].every((time) => new Date(time ?? '').toJSON() === time);

function openChannel(take: (event: MessageEvent<Partial<Note> | null>) => void): BroadcastChannel | undefined {
  try {
    const channel = new BroadcastChannel(`notes ${base}`);
    channel.onmessage = take;
    return channel;
  } catch {
    return undefined;
  }
}
