import type { ComponentChildren } from 'preact';
import type { Note } from '../../core/note.ts';
import { hasSameDraftFields } from '../../core/versions.ts';
import {
  continuedDraftKey,
  createNoteDraftKey,
  type Draft,
  deleteDraft,
  findClosedDraft,
  findDraft,
  findWaitingDraft,
  listClosedDrafts,
  parseDraftNoteId,
  trySaveDraft,
} from '../state/drafts.ts';
import { editedNoteId, urlState } from '../state/navigation.ts';
import { findNoteById } from '../state/notes.ts';
import { notify, type PageNotification, pushUndoStepAndNotify } from '../state/notifications.ts';
import { runOnceWhen } from '../state/signal-helpers.ts';
import { Button } from '../ui/buttons.tsx';
import { formatNoteTitle, truncateToUnits } from '../ui/format-for-page.ts';
import { openNewNoteDraft } from '../ui/new-note.ts';
import { openNoteFormAndFocus } from '../ui/open-note.ts';
import { copyWithDefaultTitleAndContent } from './complete-fields.ts';

export function formatDraftName({ fields }: Draft): string {
  const title = (fields.title || fields.content).trim();
  const short = truncateToUnits(title, 40);
  return `“${short}${short.length < title.length ? '…' : ''}”`;
}

export function openDraftForm(draft: Draft): void {
  const note = findNoteById(parseDraftNoteId(draft));
  continuedDraftKey.value = draft.key;
  if (note) openNoteFormAndFocus(note);
  else openNewNoteDraft(draft);
}

/** Of a text that is stored as soon as the service is back. */
export const waitingLabel = 'Not sent yet';

export function deleteDraftWithUndo(draft: Draft): void {
  deleteDraft(draft.key);
  pushUndoStepAndNotify(`Discarded draft: ${formatDraftName(draft)}`, () => {
    trySaveDraft({ ...draft, unansweredIn: undefined });
    openDraftForm(draft);
  });
}

const offerDismissals = new Map<Draft['key'], () => void>();

const isDraftNoteOpen = (draft: Draft): boolean =>
  Number.isNaN(parseDraftNoteId(draft))
    ? editedNoteId.value === 'new'
    : parseDraftNoteId(draft) === urlState.value.note;

/** Offers the draft under a key, to continue or discard it, until either is done, unless a form has it open. */
export function notifyUnsavedDraft(key: string, kind: PageNotification['kind'], reason?: string): void {
  const draft = findClosedDraft(key);
  if (!draft) return;
  const withDraft = (use: (draft: Draft) => void) => () => {
    const waiting = findClosedDraft(key);
    if (waiting) use(waiting);
  };
  offerDismissals.get(key)?.();
  const text = reason === undefined ? `Not saved: ${formatDraftName(draft)}` : `${reason}. What you typed is kept`;
  const isHidden = () => kind !== 'failure' && isDraftNoteOpen(draft);
  const dismiss = notify(text, {
    kind,
    action: { label: 'Continue', run: withDraft(openDraftForm) },
    otherAction: { label: 'Discard', run: withDraft(deleteDraftWithUndo) },
    isHidden,
  });
  offerDismissals.set(key, dismiss);
  runOnceWhen(() => !findClosedDraft(key), dismiss);
}

export function findChangedDraft(note: Note): Draft | undefined {
  const draft = findDraft(createNoteDraftKey(note.id));
  return draft && !hasSameDraftFields(draft.fields, note) ? draft : undefined;
}

/** The note with the fields that wait for the service, if there are any. */
export function copyWithWaitingFields(note: Note): Note {
  const waiting = findWaitingDraft(note.id);
  return waiting ? { ...note, ...copyWithDefaultTitleAndContent(waiting.fields) } : note;
}

/** A note whose change waits is shown with its new text, and this line. */
export function UnsavedDraftNotice({ note }: { note: Note }) {
  const waiting = findWaitingDraft(note.id);
  if (waiting) return <WaitingNotice draft={waiting} />;
  const draft = findClosedDraft(createNoteDraftKey(note.id));
  if (!draft || hasSameDraftFields(draft.fields, note)) return null;
  return (
    <DraftNotice draft={draft}>
      Not saved<span class="max-sm:hidden">: your changes to “{formatNoteTitle(note)}”</span>
    </DraftNotice>
  );
}

const WaitingNotice = ({ draft }: { draft: Draft }) => (
  <p class="notice" role="status">
    <span class="min-w-0 flex-1">{waitingLabel}</span>
    <Button class="btn-ghost" onClick={() => deleteDraftWithUndo(draft)}>
      Discard
    </Button>
  </p>
);

/** In the form of another new note, whose own Discard stands below: this one says what it discards. */
export function NewNoteDraftNotice() {
  const draft = listClosedDrafts().find((draft) => Number.isNaN(parseDraftNoteId(draft)));
  if (!draft) return null;
  return (
    <DraftNotice draft={draft} discarded=" the older draft">
      Not saved: {formatDraftName(draft)}
    </DraftNotice>
  );
}

type DraftNoticeProps = Readonly<{
  draft: Draft;
  /** What the button says that it discards; where a screen is narrow, it is said to screen readers alone. */
  discarded?: string;
  children: ComponentChildren;
}>;

const DraftNotice = ({ draft, discarded, children }: DraftNoticeProps) => (
  <p class="notice is-draft" role="status">
    <span class="min-w-0 flex-1 truncate" dir="auto">
      {children}
    </span>
    <Button onClick={() => openDraftForm(draft)}>Continue</Button>
    <Button class="btn-ghost" onClick={() => deleteDraftWithUndo(draft)}>
      Discard
      {discarded && <span class="max-sm:sr-only">{discarded}</span>}
    </Button>
  </p>
);
