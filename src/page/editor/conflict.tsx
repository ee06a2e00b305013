import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isConflict } from '../../core/error.ts';
import type { Note, NoteDraft } from '../../core/note.ts';
import { findChangedFields } from '../../core/versions.ts';
import { type Comparison, compare, Rows } from '../history/differences.tsx';
import { deleteDraft, holdDraft } from '../state/drafts.ts';
import { useLoaded } from '../state/effects.ts';
import { editing } from '../state/navigation.ts';
import { failureText, fetchNote, update, writeFailureText } from '../state/notes.ts';
import { Button } from '../ui/buttons.tsx';
import { valueName } from '../ui/format.ts';
import { ScrollArea } from '../ui/modal.tsx';
import { openNote } from '../ui/open-note.ts';
import { Leave } from './note-form.tsx';
import { offerDraft } from './recover-drafts.tsx';
import { notifySaved } from './save.ts';
import type { SaveState } from './use-note-form.ts';

export type EditConflict = Readonly<{ mine: NoteDraft; theirs: Note; draftKey: string }>;

/** Shows both versions to choose from; the other one is then in the history. Until then, `mine` stays in its draft. */
export function ConflictView({ first }: { first: EditConflict }) {
  const conflict = useSignal(first);
  const { mine, theirs, draftKey } = conflict.value;
  const saveState = useSignal<SaveState>({ kind: 'none' });
  const title = useRef<HTMLParagraphElement>(null);
  const release = useRef(() => {});
  useLayoutEffect(() => {
    title.current?.focus();
    release.current = holdDraft(first.draftKey);
    return () => {
      if (saveState.peek().kind !== 'saving') release.current();
    };
  }, []);
  const compared = useLoaded(
    async (signal) => ({ theirs, diffs: await compare({ before: theirs, after: mine }, signal) }),
    [conflict.value],
  );

  async function keep(send: () => Promise<Note>, before?: Note): Promise<void> {
    if (saveState.value.kind === 'saving') return;
    saveState.value = { kind: 'saving' };
    let failure: string | undefined;
    try {
      const note = notifySaved(await send(), before);
      deleteDraft(draftKey);
      if (title.current) {
        editing.value = undefined;
        openNote(note);
      }
    } catch (error) {
      failure = await failed(error);
      saveState.value = { kind: 'failed', text: failure };
    }
    if (title.current) return;
    release.current();
    if (failure !== undefined) offerDraft(draftKey, 'failure', failure);
  }

  async function failed(error: unknown): Promise<string> {
    const text = writeFailureText('Not saved', error);
    if (!isConflict(error)) return text;
    const newer = await fetchNote(theirs.id).catch(failureText);
    if (typeof newer === 'string') return `Not saved: ${newer}`;
    conflict.value = { mine, draftKey, theirs: newer };
    return 'Not saved: the note was changed again. This is its latest version';
  }

  const keepMine = () => update(theirs, mine);

  const takeTheirs = async () => update(await keepMine(), theirs); // mine first, so that the history has it

  const diffs = compared.value?.theirs === theirs ? compared.value.diffs : undefined; // not of an earlier version
  const different = findChangedFields(mine, theirs);
  return (
    <>
      <div class="note-head">
        <h2 class="note-title">Mine or theirs?</h2>
        <Leave />
      </div>
      <div class="detail-body">
        <p ref={title} class="font-semibold" role="alert" tabIndex={-1}>
          This note was changed elsewhere while you edited it. Choose what to keep; the history keeps the other.
          {theirs.archived && ' It is archived now, and stays archived.'}
        </p>
        <div class="my-3 grid gap-4 xl:grid-cols-2">
          <Version label="Mine" fields={mine} names={different} diffs={diffs} side="added" />
          <Version label="Theirs" fields={theirs} names={different} diffs={diffs} side="removed" />
        </div>
        <div class="flex flex-wrap items-center gap-2">
          <Button class="btn-primary" onClick={() => void keep(keepMine, theirs)}>
            Keep mine
          </Button>
          <Button onClick={() => void keep(takeTheirs)}>Take theirs</Button>
          <p class="text-sm" role="status">
            {saveState.value.kind === 'saving' && 'Saving …'}
            {saveState.value.kind === 'failed' && saveState.value.text}
          </p>
        </div>
      </div>
    </>
  );
}

interface VersionProps {
  readonly label: string;
  readonly fields: NoteDraft;
  readonly names: readonly (keyof NoteDraft)[];
  readonly diffs: Comparison | undefined;
  readonly side: 'added' | 'removed';
}

const Version = ({ label, fields, names, diffs, side }: VersionProps) => (
  <section aria-label={label} class="min-w-0 rounded-box border border-base-300">
    <h3 class="px-4 pt-2 text-sm font-semibold">{label}</h3>
    <dl class="differences flex flex-col gap-3 px-4 py-3 text-sm">
      {names.map((name) => {
        const diff = name === 'title' || name === 'content' ? diffs?.[name] : undefined;
        return (
          <div key={name}>
            <dt class="muted capitalize">{name}</dt>
            <dd>
              <ScrollArea
                label={`${name}, ${side === 'added' ? 'my' : 'their'} version`}
                class="max-h-80 overflow-auto break-words whitespace-pre-wrap"
                dir="auto"
              >
                {diff ? <Rows diff={diff} dir="auto" side={side} /> : valueName(fields[name])}
              </ScrollArea>
            </dd>
          </div>
        );
      })}
      {names.length === 0 && <p>Both versions say the same.</p>}
    </dl>
  </section>
);
