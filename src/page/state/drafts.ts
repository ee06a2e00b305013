/** Unsaved texts in localStorage: one per note, with the version of the note that it changes, and one per new note. */
import { signal } from '@preact/signals';
import { draftFields } from '../../core/enums.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasUnsaved, itemKeys, pagePath, readJson, tabId, writeItem } from './storage.ts';

/** The fields of a new note that were sent last, and the highest id known before. */
type SentFields = Readonly<{ fields: NoteDraft; lastId: Note['id'] }>;

export interface Draft {
  readonly key: string;
  readonly fields: NoteDraft;
  /** The version being changed; a new note has none. */
  readonly updatedAt: string | undefined;
  readonly keptAt: number;
  /** Of a new note whose first save may be stored: the next one looks for it. */
  readonly sent?: SentFields | undefined;
  /** The tab that sent it without an answer: it sends it again, also after a reload. */
  readonly unansweredIn?: string | undefined;
}

const drafts = 'notes.draft:';
const prefix = `${drafts}${pagePath}:`;

export const draftCount = (): number => itemKeys(drafts).length;

export const keyOfNote = (id: Note['id']): string => `${prefix}${id}`;
export const newKey = (): string => `${prefix}new-${Math.random().toString(36).slice(2)}`;

/** The key of the draft in the form of a new note, also after it was left. */
export const newFormKey = signal(newKey());

/** The title that its form begins with, which is no draft: the words of a search without a hit. */
export const newFormTitle = signal('');

/** The id of the note that a draft changes; NaN for a new note. */
export const noteIdOf = ({ key }: Pick<Draft, 'key'>): Note['id'] => Number(key.slice(prefix.length));

const held = signal<readonly string[]>([]);

/** Keeps a draft from being offered or sent by another form of this tab. Returns the release. */
export function holdDraft(key: string): () => void {
  held.value = [...held.peek(), key];
  let isHeld = true;
  return () => {
    if (isHeld) held.value = held.peek().toSpliced(held.peek().indexOf(key), 1);
    isHeld = false;
  };
}

const changes = signal(0);

/** Saves a draft. Returns whether it outlives this page. */
export function saveDraft({ key, ...draft }: Omit<Draft, 'keptAt'>): boolean {
  const isKept = writeItem(key, JSON.stringify({ ...draft, keptAt: Date.now() }));
  changes.value++;
  return isKept;
}

export function beginDraft(fields: NoteDraft): string {
  const key = newKey();
  saveDraft({ key, fields, updatedAt: undefined });
  return key;
}

export function deleteDraft(key: string): void {
  writeItem(key, undefined);
  changes.value++;
}

export function readDraft(key: string): Draft | undefined {
  void changes.value;
  const stored = readJson(key);
  return isStoredDraft(stored) ? { ...stored, key } : undefined;
}

function isStoredDraft(stored: unknown): stored is Omit<Draft, 'key'> {
  const { fields, updatedAt, keptAt, sent }: Partial<Draft> = Object(stored);
  return (
    hasNoteFields(fields) &&
    Number.isFinite(new Date(keptAt ?? '').getTime()) &&
    (updatedAt === undefined || typeof updatedAt === 'string') &&
    (sent === undefined || (hasNoteFields(sent.fields) && typeof sent.lastId === 'number'))
  );
}

const hasNoteFields = (fields: Partial<Record<keyof NoteDraft, unknown>> | undefined) =>
  draftFields.every((name) => typeof fields?.[name] === 'string');

/** The drafts that this tab does not hold, newest first. */
export function closedDrafts(): readonly Draft[] {
  void changes.value;
  return itemKeys(prefix)
    .filter((key) => !held.value.includes(key))
    .map(readDraft)
    .filter((draft) => draft !== undefined)
    .sort((one, other) => other.keptAt - one.keptAt);
}

/** The draft under a key, unless a form of this tab has it. */
export const closedDraft = (key: string): Draft | undefined => closedDrafts().find((draft) => draft.key === key);

export const isUnanswered = ({ unansweredIn }: Draft): boolean => unansweredIn === tabId;

window.addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(prefix)) changes.value++;
});
window.addEventListener('beforeunload', (event) => {
  if (hasUnsaved(prefix)) event.preventDefault();
});
