/** Unsaved texts in localStorage: one per note, with the version of the note that it changes, and one per new note. */
import { signal } from '@preact/signals';
import { draftFields } from '../../core/enums.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import {
  hasMemoryOnlyItems,
  listStorageKeys,
  pagePath,
  readStorageJson,
  tabId,
  writeOrRemoveStorageItem,
} from './page-storage.ts';

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

const draftKeyPrefix = 'notes.draft:';
const pageDraftKeyPrefix = `${draftKeyPrefix}${pagePath}:`;

export const countDrafts = (): number => listStorageKeys(draftKeyPrefix).length;

export const createNoteDraftKey = (id: Note['id']): string => `${pageDraftKeyPrefix}${id}`;
export const createNewDraftKey = (): string => `${pageDraftKeyPrefix}new-${Math.random().toString(36).slice(2)}`;

/** The key of the draft in the form of a new note, also after it was left. */
export const newFormDraftKey = signal(createNewDraftKey());

/**
 * What its form begins with, which is no draft: an example, a copy of a note, or the words of a search without a hit.
 */
export const newFormFields = signal<Partial<NoteDraft>>({});

/** The key of a draft whose form is being opened to continue it: the caret goes to the end of its text. */
export const continuedDraftKey = signal<string | undefined>(undefined);

/** The id of the note that a draft changes; NaN for a new note. */
export const parseDraftNoteId = ({ key }: Pick<Draft, 'key'>): Note['id'] =>
  Number(key.slice(pageDraftKeyPrefix.length));

const reservedKeys = signal<readonly string[]>([]);

/** Keeps a draft from being offered or sent by another form of this tab. Returns the release. */
export function reserveDraft(key: string): () => void {
  reservedKeys.value = [...reservedKeys.peek(), key];
  let isHeld = true;
  return () => {
    if (isHeld) reservedKeys.value = reservedKeys.peek().toSpliced(reservedKeys.peek().indexOf(key), 1);
    isHeld = false;
  };
}

const draftChangeCount = signal(0);

/** Saves a draft. Returns whether it outlives this page. */
export function trySaveDraft({ key, ...draft }: Omit<Draft, 'keptAt'>): boolean {
  const isKept = writeOrRemoveStorageItem(key, JSON.stringify({ ...draft, keptAt: Date.now() }));
  draftChangeCount.value++;
  return isKept;
}

export function createAndSaveDraft(fields: NoteDraft): string {
  const key = createNewDraftKey();
  trySaveDraft({ key, fields, updatedAt: undefined });
  return key;
}

export function deleteDraft(key: string): void {
  writeOrRemoveStorageItem(key, undefined);
  draftChangeCount.value++;
}

/** Whether a draft still has these fields: another tab may have typed into it since. */
export const isDraftUnchanged = (key: string, fields: NoteDraft): boolean => {
  const draft = findDraft(key);
  return draft !== undefined && hasSameDraftFields(draft.fields, fields);
};

export function findDraft(key: string): Draft | undefined {
  void draftChangeCount.value;
  const stored = readStorageJson(key);
  return isStoredDraft(stored) ? { ...stored, key } : undefined;
}

function isStoredDraft(stored: unknown): stored is Omit<Draft, 'key'> {
  const { fields, updatedAt, keptAt, sent }: Partial<Draft> = Object(stored);
  return (
    hasDraftFields(fields) &&
    Number.isFinite(new Date(keptAt ?? '').getTime()) &&
    (updatedAt === undefined || typeof updatedAt === 'string') &&
    (sent === undefined || (hasDraftFields(sent.fields) && typeof sent.lastId === 'number'))
  );
}

const hasDraftFields = (fields: Partial<Record<keyof NoteDraft, unknown>> | undefined) =>
  draftFields.every((name) => typeof fields?.[name] === 'string');

/** All drafts in this browser, newest first. */
export function listDrafts(): readonly Draft[] {
  void draftChangeCount.value;
  return listStorageKeys(pageDraftKeyPrefix)
    .map(findDraft)
    .filter((draft) => draft !== undefined)
    .sort((one, other) => other.keptAt - one.keptAt);
}

/** The drafts that this tab does not hold, newest first. */
export const listClosedDrafts = (): readonly Draft[] =>
  listDrafts().filter(({ key }) => !reservedKeys.value.includes(key));

/** The draft under a key, unless a form of this tab has it. */
export const findClosedDraft = (key: string): Draft | undefined =>
  listClosedDrafts().find((draft) => draft.key === key);

/** The change of a note that this tab sends again once the service is back; its form was left. */
export function findWaitingDraft(id: Note['id']): Draft | undefined {
  const draft = findDraft(createNoteDraftKey(id));
  return draft && isUnansweredInThisTab(draft) ? draft : undefined;
}

export const isUnansweredInThisTab = ({ unansweredIn }: Draft): boolean => unansweredIn === tabId;

window.addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(pageDraftKeyPrefix)) draftChangeCount.value++;
});
window.addEventListener('beforeunload', (event) => {
  if (hasMemoryOnlyItems(pageDraftKeyPrefix)) event.preventDefault();
});
