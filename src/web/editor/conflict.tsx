import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { draftFields } from '../../domain/enums.ts';
import type { Note, NoteDraft } from '../../domain/note.ts';
import { isConflict } from '../changes/write-many.ts';
import { deleteDraft, lockDraft } from '../state/drafts.ts';
import { editing } from '../state/navigation.ts';
import { patchOf } from '../state/note-fields.ts';
import { failureText, fetchNote, update, writeFailureText } from '../state/notes.ts';
import { openNote } from '../ui/open-note.ts';
import { createOnce, notifySaved } from './create-once.ts';
import type { SaveState } from './form/use-note-form.ts';
import { discardDraft, offerDraftUnder } from './recover-drafts.ts';

/** Two versions of a note: `mine` is based on one that has since been replaced. */
export interface EditConflict {
  readonly mine: NoteDraft;
  readonly theirs: Note;
  /** Key of the draft of `mine`. */
  readonly draftKey: string;
}

/** Shows both versions to choose from. Until then, `mine` stays in its draft. */
export function ConflictView({ conflict }: { conflict: Signal<EditConflict | undefined> }) {
  const saveState = useSignal<SaveState>({ kind: 'none' });
  const title = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => title.current?.focus(), []);
  const release = useRef(() => {});
  useLayoutEffect(() => {
    release.current = lockDraft(conflict.peek()?.draftKey ?? '');
    return () => {
      if (saveState.peek().kind !== 'saving') release.current();
    };
  }, []);
  if (!conflict.value) return null;
  const { mine, theirs, draftKey } = conflict.value;

  function leave(note: Note): void {
    editing.value = undefined;
    openNote(note);
  }

  function takeTheirs(): void {
    leave(theirs);
    discardDraft({ key: draftKey, fields: mine, updatedAt: undefined, keptAt: Date.now() });
  }

  async function store(send: () => Promise<Note>, before?: Note): Promise<void> {
    if (saveState.value.kind === 'saving') return;
    saveState.value = { kind: 'saving' };
    try {
      const note = notifySaved(await send(), before);
      deleteDraft(draftKey);
      if (title.current) leave(note);
    } catch (error) {
      const text = await failed(error);
      saveState.value = { kind: 'failed', text };
      if (title.current) return;
      release.current();
      offerDraftUnder(draftKey, 'failure', text);
    } finally {
      if (!title.current) release.current();
    }
  }

  async function failed(error: unknown): Promise<string> {
    const text = writeFailureText('Not saved', error);
    if (!isConflict(error)) return text;
    const newer = await fetchNote(theirs.id).catch(failureText);
    if (typeof newer === 'string') return `Not saved: ${newer}`;
    conflict.value = { mine, draftKey, theirs: newer };
    return 'Not saved: the note was changed again. This is its latest version';
  }

  const different = draftFields.filter((name) => mine[name] !== theirs[name]);
  return (
    <div class="note-fields">
      <p ref={title} class="font-semibold" role="alert" tabIndex={-1}>
        This note was changed elsewhere while you edited it. Choose what to keep
        {theirs.archived && '. It is archived now, and stays archived'}
      </p>
      <div class="grid gap-4 xl:grid-cols-2">
        <Version label="Mine" fields={mine} names={different} />
        <Version label="Theirs" fields={theirs} names={different} />
      </div>
      <div class="flex flex-wrap gap-2">
        <button
          type="button"
          class="btn btn-primary btn-sm touch"
          onClick={() => void store(() => update(theirs.id, patchOf(mine, theirs), theirs.updatedAt), theirs)}
        >
          Keep mine
        </button>
        <button type="button" class="btn btn-sm touch" onClick={takeTheirs}>
          Take theirs
        </button>
        <button type="button" class="btn btn-sm touch" onClick={() => void store(() => createOnce(draftKey, mine))}>
          Save mine as a new note
        </button>
      </div>
      <p class="text-sm" role="status">
        {saveState.value.kind === 'saving' && 'Saving …'}
        {saveState.value.kind === 'failed' && saveState.value.text}
      </p>
    </div>
  );
}

interface VersionProps {
  readonly label: string;
  readonly fields: NoteDraft;
  /** The fields in which the versions differ. */
  readonly names: readonly (keyof NoteDraft)[];
}

const Version = ({ label, fields, names }: VersionProps) => (
  <section aria-label={label} class="min-w-0 rounded-box border border-base-300">
    <h3 class="border-b border-base-300 px-3 py-2 text-sm font-semibold">{label}</h3>
    <dl class="flex flex-col gap-3 p-3 text-sm">
      {names.map((name) => (
        <div key={name}>
          <dt class="muted capitalize">{name}</dt>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard */}
          <dd class="max-h-80 overflow-auto font-mono break-words whitespace-pre-wrap" dir="auto" tabIndex={0}>
            {fields[name]}
          </dd>
        </div>
      ))}
      {names.length === 0 && <p>Both versions say the same.</p>}
    </dl>
  </section>
);
