import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { draftFields } from '../../core/enums.ts';
import { isConflictError } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { hasSameDraftFields, listChangedDraftFields } from '../../core/versions.ts';
import {
  type Comparison,
  compareInWorker,
  DiffRows,
  mergeInWorker,
  mergeKeepingBothInWorker,
} from '../history/differences.tsx';
import { deleteDraft, findDraft, reserveDraft } from '../state/drafts.ts';
import { editedNoteId } from '../state/navigation.ts';
import {
  fetchAndUpsertNote,
  handleFailureAndFormat,
  handleWriteFailureAndFormat,
  updateAndShowNote,
} from '../state/note-requests.ts';
import { useLoaded } from '../state/signal-helpers.ts';
import { Button } from '../ui/buttons.tsx';
import { formatTimeAgo, formatValueLabel } from '../ui/format-for-page.ts';
import { ScrollArea } from '../ui/modal.tsx';
import { openNoteAndFocus } from '../ui/open-note.ts';
import { copyWithDefaultTitleAndContent } from './complete-fields.ts';
import { LeaveFormButton } from './note-form.tsx';
import { notifySaved, notifyStoredElsewhere } from './save-drafts.ts';
import { notifyUnsavedDraft } from './unsaved-drafts.tsx';

export interface EditConflict {
  readonly mine: NoteDraft;
  readonly theirs: Note;
  readonly draftKey: string;
  /** Resolves to the version that `mine` was made from; undefined if it is not known any more. */
  readonly loadBase: () => Promise<NoteDraft | undefined>;
}

type ChoiceState = { readonly kind: 'choosing' | 'saving' } | { readonly kind: 'failed'; readonly text: string };

interface ConflictProps {
  readonly first: EditConflict;
  /** Called with a text that has both versions of what both have changed, to be edited and saved in place of `theirs`. */
  readonly onEditBoth: (both: NoteDraft, theirs: Note) => void;
}

/**
 * Shows both versions to choose from; the other one is then in the history. Until then, `mine` stays in its draft. Both
 * can be kept: if the changes touch, in the form. If theirs has all changes of mine, nothing is asked.
 */
export function ConflictView({ first, onEditBoth }: ConflictProps) {
  const conflict = useSignal(first);
  const { mine, theirs, draftKey } = conflict.value;
  const choiceState = useSignal<ChoiceState>({ kind: 'choosing' });
  const title = useRef<HTMLHeadingElement>(null);
  const release = useRef(() => {});
  useLayoutEffect(() => {
    title.current?.focus();
    release.current = reserveDraft(first.draftKey);
    const leaving = new AbortController();
    window.addEventListener('keydown', stopTypedKey, { capture: true, signal: leaving.signal });
    return () => {
      leaving.abort();
      if (choiceState.peek().kind !== 'saving') release.current();
    };
  }, []);
  const compared = useLoaded(
    async (signal) => ({ theirs, diffs: await compareInWorker({ before: theirs, after: mine }, signal) }),
    [conflict.value],
  );
  const merged = useLoaded(
    async (signal) => ({ theirs, ...(await loadBaseAndMerge(conflict.value, signal)) }),
    [conflict.value],
  );
  const { both, overlapping } = merged.value?.theirs === theirs ? merged.value : {}; // not of an earlier version
  useEffect(() => {
    if (both && hasSameDraftFields(both, theirs) && choiceState.peek().kind === 'choosing') finish(theirs);
  }, [both]);

  function finish(note: Note): void {
    notifyStoredElsewhere(note);
    deleteDraftIfUnchanged(draftKey, mine);
    editedNoteId.value = undefined;
    openNoteAndFocus(note);
  }

  async function keep(send: () => Promise<Note>, before?: Note): Promise<void> {
    if (choiceState.value.kind === 'saving') return;
    choiceState.value = { kind: 'saving' };
    let failure: string | undefined;
    try {
      const note = notifySaved(await send(), before);
      deleteDraftIfUnchanged(draftKey, mine);
      if (title.current) {
        editedNoteId.value = undefined;
        openNoteAndFocus(note);
      }
    } catch (error) {
      failure = await failed(error);
      choiceState.value = { kind: 'failed', text: failure };
    }
    if (title.current) return;
    release.current();
    if (failure !== undefined) notifyUnsavedDraft(draftKey, 'failure', failure);
  }

  function editBoth(fields: NoteDraft): void {
    if (choiceState.value.kind !== 'saving') onEditBoth(fields, theirs);
  }

  async function failed(error: unknown): Promise<string> {
    const text = handleWriteFailureAndFormat('Not saved', error);
    if (!isConflictError(error)) return text;
    const newer = await fetchAndUpsertNote(theirs.id).catch(handleFailureAndFormat);
    if (typeof newer === 'string') return `Not saved: ${newer}`;
    conflict.value = { ...conflict.value, theirs: newer };
    return 'Not saved: the note was changed again. This is its latest version';
  }

  const keepMine = () => updateAndShowNote(theirs, mine);

  const takeTheirs = async () => updateAndShowNote(await keepMine(), theirs); // mine first, so that the history has it

  const diffs = compared.value?.theirs === theirs ? compared.value.diffs : undefined; // not of an earlier version
  const different = listChangedDraftFields(mine, theirs);
  return (
    <form class="contents" onSubmit={(event) => event.preventDefault()}>
      <div class="note-head">
        <h2 ref={title} class="note-title" tabIndex={-1}>
          Mine or theirs?
        </h2>
        <LeaveFormButton />
      </div>
      <div class="detail-body">
        <p class="font-semibold" role="alert">
          This note was changed elsewhere while you edited it. Choose what to keep; the history keeps the other.
          {theirs.archived && ' It is archived now, and stays archived.'}
        </p>
        <div class="my-3 grid gap-4 xl:grid-cols-2">
          <ConflictVersion
            label="Theirs"
            state={`saved ${formatTimeAgo(theirs.updatedAt)}`}
            fields={theirs}
            names={different}
            diffs={diffs}
            side="removed"
          />
          <ConflictVersion label="Mine" state="not saved" fields={mine} names={different} diffs={diffs} side="added" />
        </div>
      </div>
      <div class="conflict-foot">
        <Button class={both ? '' : 'btn-primary'} onClick={() => void keep(keepMine, theirs)}>
          Keep mine
        </Button>
        <Button onClick={() => void keep(takeTheirs)}>Take theirs</Button>
        {both && (
          <Button
            class="btn-primary"
            title="The changes do not touch: saves both"
            onClick={() => void keep(() => updateAndShowNote(theirs, both), theirs)}
          >
            Keep both
          </Button>
        )}
        {overlapping && (
          <Button
            title="Opens a text with both versions of what both have changed, theirs first, to edit and save"
            onClick={() => editBoth(overlapping)}
          >
            Keep both
          </Button>
        )}
        <p class="text-sm" role="status">
          {choiceState.value.kind === 'saving' && 'Saving …'}
          {choiceState.value.kind === 'failed' && choiceState.value.text}
        </p>
      </div>
    </form>
  );
}

type MergedVersions = Readonly<{
  /** Can be saved as it is: the changes do not touch. */
  both?: NoteDraft | undefined;
  /** Is to be edited first: both have changed the same. */
  overlapping?: NoteDraft | undefined;
}>;

async function loadBaseAndMerge(conflict: EditConflict, signal: AbortSignal): Promise<MergedVersions> {
  const { theirs } = conflict;
  const base = await conflict.loadBase();
  const mine = copyWithDefaultTitleAndContent(conflict.mine);
  const both = base && (await mergeInWorker({ base, mine, theirs }, signal));
  return both ? { both } : { overlapping: await mergeKeepingBothInWorker({ base, mine, theirs }, signal) };
}

/**
 * Stops keys of somebody who types on when the question comes: they choose no text, and are no commands for notes. In
 * the form of the question they are none anyway.
 */
function stopTypedKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, target } = event;
  const isTyped = [...key].length === 1 || key === 'Enter' || key === 'Delete';
  const isElsewhere = target instanceof Element && target.closest('form, input, select, dialog, [role=menu]') !== null;
  if (isTyped && !ctrlKey && !metaKey && !isElsewhere) event.stopPropagation();
}

/** Deletes the draft of a text, but not what another tab has made of it since. */
function deleteDraftIfUnchanged(key: string, mine: NoteDraft): void {
  const draft = findDraft(key);
  if (draft && hasSameDraftFields(copyWithDefaultTitleAndContent(draft.fields), copyWithDefaultTitleAndContent(mine)))
    deleteDraft(key);
}

interface VersionProps {
  readonly label: 'Mine' | 'Theirs';
  /** Whether and when it was saved, in words. */
  readonly state: string;
  readonly fields: NoteDraft;
  readonly names: readonly (typeof draftFields)[number][];
  readonly diffs: Comparison | undefined;
  readonly side: 'added' | 'removed';
}

const ConflictVersion = ({ label, state, fields, names, diffs, side }: VersionProps) => (
  <section aria-label={`${label}, ${state}`} class="min-w-0 rounded-box border border-base-300">
    <h3 class="px-4 pt-2 text-sm font-semibold">
      {label}, <span class="font-normal muted">{state}</span>
    </h3>
    <dl class="differences flex flex-col gap-3 px-4 py-3 text-sm">
      {names.map((name) => {
        const diff = name === 'title' || name === 'content' ? diffs?.[name] : undefined;
        return (
          <div key={name}>
            <dt class="muted capitalize">{name}</dt>
            <dd>
              <ScrollArea label={`${name}, ${side === 'added' ? 'my' : 'their'} version`} class="is-wrapped" dir="auto">
                {diff ? <DiffRows diff={diff} dir="auto" side={side} /> : formatValueLabel(fields[name])}
              </ScrollArea>
            </dd>
          </div>
        );
      })}
      {names.length === 0 && <p>Both versions say the same.</p>}
    </dl>
  </section>
);
