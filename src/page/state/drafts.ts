/**
 * Unsaved texts in localStorage, which survive reloads, crashes and an unreachable service. Each form has its own
 * draft under a key with the note id, and with the version of the note that it changes.
 */
import { signal } from '@preact/signals';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasNoteFields } from './note-fields.ts';
import { hasUnsaved, itemKeys, pagePath, readItem, writeItem } from './storage.ts';

/** The id of a note, or `new` for one not stored yet. */
type Subject = Note['id'] | 'new';

export interface Draft {
  readonly key: string;
  readonly fields: NoteDraft;
  /** The version being changed; a new note has none. */
  readonly updatedAt: string | undefined;
  /** Whether it was sent, and the service did not answer: it is sent again. */
  readonly isSent?: boolean;
  /** When it was saved, in ms since 1970. */
  readonly keptAt: number;
}

const drafts = 'notes.draft:';
const prefix = `${drafts}${pagePath}:`;

/** Counts the drafts of all pages of this host, which share localStorage. */
export const draftCount = (): number => itemKeys(drafts).length;

export const newDraftKey = (subject: Subject) => `${prefix}${subject}:${Math.random().toString(36).slice(2)}`;

/** The id of the note that a draft changes; NaN for a new note. */
export const noteIdOf = ({ key }: Draft): Note['id'] => Number.parseInt(key.slice(prefix.length), 10);

/** Counts saves and deletions of drafts, in all tabs. */
const changes = signal(0);

/** Saves a draft. Returns whether it outlives this page. */
export function saveDraft({ key, ...draft }: Omit<Draft, 'keptAt'>): boolean {
  const isKept = writeItem(key, JSON.stringify({ ...draft, keptAt: Date.now() }));
  changes.value++;
  return isKept;
}

/** Begins the draft of a new note that was pasted, dropped or taken from an example. */
export function beginDraft(fields: NoteDraft): Draft {
  const draft = { key: newDraftKey('new'), fields, updatedAt: undefined };
  saveDraft(draft);
  return { ...draft, keptAt: Date.now() };
}

export function deleteDraft(key: string): void {
  writeItem(key, undefined);
  writeItem(`${sentPrefix}${key}`, undefined);
  changes.value++;
}

export function hasDraft(key: string): boolean {
  void changes.value;
  return readItem(key) !== undefined;
}

/** A new note that was sent, and the highest id known before. */
interface SentDraft {
  readonly fields: NoteDraft;
  readonly lastId: Note['id'];
}

const sentPrefix = 'notes.sent:';

/** Records a sent note until its response arrives and the draft is deleted. */
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

/** Keys of drafts open in this tab, and in others. */
const heldHere = signal<readonly string[]>([]);
const heldElsewhere = signal<ReadonlySet<string>>(new Set());
/** Begins the names of the locks of this tab, which are released slightly later than `heldHere`. */
const tab = Math.random().toString(36).slice(2);

/** Locks a draft, so that no other form or tab offers it. Returns the release; closing the tab releases it too. */
export function lockDraft(key: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  heldHere.value = [...heldHere.value, key];
  navigator.locks?.request(`${tab} ${key}`, () => promise).catch(() => {});
  let isHeld = true;
  return () => {
    if (isHeld) heldHere.value = heldHere.value.toSpliced(heldHere.value.indexOf(key), 1);
    isHeld = false;
    resolve();
  };
}

/** Reads the locks of other tabs. Without the Web Locks API (plain http), all drafts count as unlocked. */
export async function refreshLocks(): Promise<void> {
  const locks = await navigator.locks?.query().catch(() => undefined);
  const names = locks?.held?.map(({ name = '' }) => name.split(' ')) ?? [];
  heldElsewhere.value = new Set(names.filter(([holder]) => holder !== tab).map((name) => name.at(-1) ?? ''));
  changes.value++;
}

/** The drafts that no form has open, newest first: all, or those of one subject. */
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
    const { fields, updatedAt, isSent, keptAt } = JSON.parse(readItem(key) ?? '');
    const isValid =
      Number.isFinite(new Date(keptAt).getTime()) && (updatedAt === undefined || typeof updatedAt === 'string');
    return hasNoteFields(fields) && isValid ? { key, fields, updatedAt, isSent: isSent === true, keptAt } : undefined;
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
