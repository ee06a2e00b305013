/**
 * What was typed and is not stored yet, in the browser's store: it outlives reload, crash and a service that is away. Each
 * form has a draft of its own, under a key that names the note, beside the version of it that was changed.
 */
import { signal } from '@preact/signals';
import type { Note, NoteDraft } from '../../domain/note.ts';
import { hasNoteFields } from './note-fields.ts';
import { hasUnsaved, itemKeys, readItem, writeItem } from './storage.ts';

/** The id of a note, or a note that is not stored yet. */
export type Subject = Note['id'] | 'new';

export interface Draft {
  readonly key: string;
  readonly fields: NoteDraft;
  /** The version that was changed; a new note has none. */
  readonly updatedAt: string | undefined;
  /** When it was kept, in ms since 1970. */
  readonly keptAt: number;
}

const prefix = `notes.draft:${new URL('.', document.baseURI).pathname}:`;

/** A key for what is typed into a form that is being opened. */
export const newDraftKey = (subject: Subject) => `${prefix}${subject}:${Math.random().toString(36).slice(2)}`;

/** What a draft is of. */
export function subjectOf({ key }: Draft): Subject {
  const [subject = ''] = key.slice(prefix.length).split(':');
  return subject === 'new' ? 'new' : Number(subject);
}

/** Rises with every draft that is kept or dropped, here or in another tab. */
const changes = signal(0);

/** Keeps a draft; whether it outlives this page. */
export function saveDraft(key: string, fields: NoteDraft, updatedAt: string | undefined): boolean {
  const isKept = writeItem(key, JSON.stringify({ fields, updatedAt, keptAt: Date.now() }));
  changes.value++;
  return isKept;
}

export function deleteDraft(key: string): void {
  writeItem(key, undefined);
  writeItem(`${sentPrefix}${key}`, undefined);
  changes.value++;
}

/** A new note that was sent, and the highest id that was known before. */
export interface SentDraft {
  readonly fields: NoteDraft;
  readonly lastId: Note['id'];
}

const sentPrefix = 'notes.sent:';

/** Keeps what is sent, until it is known what became of it and the draft is dropped. */
export const saveSent = (key: string, sent: SentDraft): boolean =>
  writeItem(`${sentPrefix}${key}`, JSON.stringify(sent));

export function sentDraft(key: string): SentDraft | undefined {
  try {
    const { fields, lastId } = JSON.parse(readItem(`${sentPrefix}${key}`) ?? '');
    return hasNoteFields(fields) && typeof lastId === 'number' ? { fields, lastId } : undefined;
  } catch {
    return undefined;
  }
}

/** Drafts whose forms are open in this tab, and in others. */
const heldHere = signal<readonly string[]>([]);
const heldElsewhere = signal<ReadonlySet<string>>(new Set());
/** Locks of this tab, which last a moment longer than what they hold. */
let locked: readonly string[] = [];
/** For each look at the locks that has not ended: those that this tab had at its start, or took since. */
const ownDuring = new Set<Set<string>>();

/** Takes a draft for a form that is open, so that nobody else is offered it; returns how to let it go. A tab that ends does too. */
export function lockDraft(key: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  heldHere.value = [...heldHere.value, key];
  locked = [...locked, key];
  for (const own of ownDuring) own.add(key);
  navigator.locks
    ?.request(key, () => promise)
    .catch(() => {})
    .finally(() => {
      locked = withoutOne(locked, key);
    });
  let isHeld = true;
  return () => {
    if (isHeld) heldHere.value = withoutOne(heldHere.value, key);
    isHeld = false;
    resolve();
  };
}

const withoutOne = (keys: readonly string[], key: string) => keys.toSpliced(keys.indexOf(key), 1);

/** Looks which drafts other tabs hold. On plain http, where browsers have no locks, all of them seem to be free. */
export async function refreshLocks(): Promise<void> {
  const own = new Set(locked);
  ownDuring.add(own);
  const locks = await navigator.locks?.query().catch(() => undefined);
  ownDuring.delete(own);
  const held = locks?.held?.map(({ name = '' }) => name) ?? [];
  heldElsewhere.value = new Set(held.filter((key) => !own.has(key)));
  changes.value++;
}

/** The drafts that wait for somebody to go on with them, the last one first: all, or those of one subject. */
export function unlockedDrafts(subject?: Subject): readonly Draft[] {
  void changes.value;
  return itemKeys(subject === undefined ? prefix : `${prefix}${subject}:`)
    .filter((key) => !heldHere.value.includes(key) && !heldElsewhere.value.has(key))
    .map(read)
    .filter((draft) => draft !== undefined)
    .sort((one, other) => other.keptAt - one.keptAt);
}

function read(key: string): Draft | undefined {
  try {
    const { fields, updatedAt, keptAt } = JSON.parse(readItem(key) ?? '');
    const isValid =
      Number.isFinite(new Date(keptAt).getTime()) && (updatedAt === undefined || typeof updatedAt === 'string');
    return hasNoteFields(fields) && isValid ? { key, fields, updatedAt, keptAt } : undefined;
  } catch {
    return undefined;
  }
}

window.addEventListener('storage', ({ key }) => {
  if (key?.startsWith(prefix)) void refreshLocks();
});
window.addEventListener('focus', () => void refreshLocks());
window.addEventListener('beforeunload', (event) => {
  if (hasUnsaved(prefix)) event.preventDefault();
});
