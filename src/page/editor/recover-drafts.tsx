import type { ComponentChildren } from 'preact';
import type { Note } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import {
  closedDraft,
  closedDrafts,
  type Draft,
  deleteDraft,
  keyOfNote,
  noteIdOf,
  readDraft,
  saveDraft,
} from '../state/drafts.ts';
import { when } from '../state/effects.ts';
import { editing, urlState } from '../state/navigation.ts';
import { noteById } from '../state/notes.ts';
import { type Notification, notify, notifyUndoable } from '../state/notifications.ts';
import { Button } from '../ui/buttons.tsx';
import { truncate } from '../ui/format.ts';
import { openDraftAsNew } from '../ui/new-note.ts';
import { editNote } from '../ui/open-note.ts';

function draftName({ fields }: Draft): string {
  const title = (fields.title || fields.content).trim();
  const short = truncate(title, 40);
  return `“${short}${short.length < title.length ? '…' : ''}”`;
}

function continueDraft(draft: Draft): void {
  const note = noteById(noteIdOf(draft));
  if (note) editNote(note);
  else openDraftAsNew(draft);
}

export function discardDraft(draft: Draft): void {
  deleteDraft(draft.key);
  notifyUndoable(`Discarded draft: ${draftName(draft)}`, () => {
    saveDraft({ ...draft, unansweredIn: undefined });
    continueDraft(draft);
  });
}

const offers = new Map<Draft['key'], () => void>();

const isOffered = (draft: Draft): boolean =>
  Number.isNaN(noteIdOf(draft)) ? editing.value === 'new' : noteIdOf(draft) === urlState.value.note;

/** Offers the draft under a key until it is taken up, unless a form has it open. */
export function offerDraft(key: string, kind: Notification['kind'], reason?: string): void {
  const draft = closedDraft(key);
  if (!draft) return;
  const run = () => {
    const waiting = closedDraft(key);
    if (waiting) continueDraft(waiting);
  };
  offers.get(key)?.();
  const text = reason === undefined ? `Not saved: ${draftName(draft)}` : `${reason}. What you typed is kept`;
  const isElsewhere = () => kind !== 'failure' && isOffered(draft);
  const dismiss = notify(text, { kind, action: { label: 'Continue', run }, isElsewhere });
  offers.set(key, dismiss);
  when(() => !closedDraft(key), dismiss);
}

/** Offers the last abandoned draft, unless its open note offers it. Requires loaded notes. */
export function offerUnsavedDraft(): void {
  const draft = closedDrafts().find((draft) => noteIdOf(draft) !== urlState.value.note);
  if (draft) offerDraft(draft.key, 'notice');
}

export function draftOfNote(note: Note): Draft | undefined {
  const draft = readDraft(keyOfNote(note.id));
  return draft && !hasSameFields(draft.fields, note) ? draft : undefined;
}

export function UnsavedDraft({ note }: { note: Note }) {
  const draft = closedDraft(keyOfNote(note.id));
  if (!draft || hasSameFields(draft.fields, note)) return null;
  return (
    <DraftNotice draft={draft} resume={() => editNote(note)}>
      Not saved: your changes
    </DraftNotice>
  );
}

export function OtherDraft() {
  const draft = closedDrafts().find((draft) => Number.isNaN(noteIdOf(draft)));
  if (!draft) return null;
  return (
    <DraftNotice draft={draft} resume={() => openDraftAsNew(draft)}>
      Not saved: {draftName(draft)}
    </DraftNotice>
  );
}

type DraftNoticeProps = Readonly<{ draft: Draft; resume: () => void; children: ComponentChildren }>;

const DraftNotice = ({ draft, resume, children }: DraftNoticeProps) => (
  <p class="notice" role="status">
    <span class="min-w-0 flex-1 truncate" dir="auto">
      {children}
    </span>
    <Button onClick={resume}>Continue</Button>
    <Button class="btn-ghost" onClick={() => discardDraft(draft)}>
      Discard
    </Button>
  </p>
);
