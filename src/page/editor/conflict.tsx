import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note, NoteDraft } from '../../core/note.ts';
import { changedFields, versionAt } from '../../core/versions.ts';
import { isConflict } from '../changes/write-many.ts';
import { type Comparison, compare } from '../history/compare.ts';
import { Rows } from '../history/differences.tsx';
import { deleteDraft, lockDraft } from '../state/drafts.ts';
import { editing } from '../state/navigation.ts';
import { patchOf } from '../state/note-fields.ts';
import { client, failureText, fetchNote, update, writeFailureText } from '../state/notes.ts';
import { openNote } from '../ui/open-note.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { useLoaded } from '../use-loaded.ts';
import type { SaveState } from './form/use-note-form.ts';
import { discardDraft, offerDraftUnder } from './recover-drafts.ts';
import { createOnce, notifySaved } from './save.ts';

/** Two versions of a note: `mine` is based on one that has since been replaced. */
export interface EditConflict {
  /** When the version that `mine` is based on was written. */
  readonly since: string | undefined;
  readonly mine: NoteDraft;
  readonly theirs: Note;
  /** Key of the draft of `mine`. */
  readonly draftKey: string;
}

/** Shows both versions to choose from. Until then, `mine` stays in its draft. */
export function ConflictView({ first }: { first: EditConflict }) {
  const conflict = useSignal(first);
  const saveState = useSignal<SaveState>({ kind: 'none' });
  const title = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => title.current?.focus(), []);
  const release = useRef(() => {});
  useLayoutEffect(() => {
    release.current = lockDraft(first.draftKey);
    return () => {
      if (saveState.peek().kind !== 'saving') release.current();
    };
  }, []);
  const merge = useLoaded(() => mergeOf(conflict.value), [conflict.value]);
  const compared = useLoaded((signal) => compareBoth(conflict.value, signal), [conflict.value]);
  const { since, mine, theirs, draftKey } = conflict.value;

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
    let failure: string | undefined;
    try {
      const note = notifySaved(await send(), before);
      deleteDraft(draftKey);
      if (title.current) leave(note);
    } catch (error) {
      failure = await failed(error);
      saveState.value = { kind: 'failed', text: failure };
    }
    if (title.current) return;
    release.current();
    if (failure !== undefined) offerDraftUnder(draftKey, 'failure', failure);
  }

  async function failed(error: unknown): Promise<string> {
    const text = writeFailureText('Not saved', error);
    if (!isConflict(error)) return text;
    const newer = await fetchNote(theirs.id).catch(failureText);
    if (typeof newer === 'string') return `Not saved: ${newer}`;
    conflict.value = { since, mine, draftKey, theirs: newer };
    return 'Not saved: the note was changed again. This is its latest version';
  }

  const overwrite = (fields: NoteDraft) =>
    void store(() => update(theirs.id, patchOf(fields, theirs), theirs.updatedAt), theirs);
  const merged = merge.value?.theirs === theirs ? merge.value.fields : undefined; // not that of an earlier version
  const diffs = compared.value?.theirs === theirs ? compared.value.diffs : undefined;
  const different = changedFields(mine, theirs);
  return (
    <div class="note-fields">
      <p ref={title} class="font-semibold" role="alert" tabIndex={-1}>
        This note was changed elsewhere while you edited it. Choose what to keep
        {theirs.archived && '. It is archived now, and stays archived'}
      </p>
      <div class="my-2 grid gap-4 xl:grid-cols-2">
        <Version label="Mine" fields={mine} names={different} diffs={diffs} side="added" />
        <Version label="Theirs" fields={theirs} names={different} diffs={diffs} side="removed" />
      </div>
      <div class="flex flex-wrap gap-2">
        {merged && (
          <button type="button" class="btn btn-primary btn-sm touch" onClick={() => overwrite(merged)}>
            Merge both
          </button>
        )}
        <button type="button" class={`btn btn-sm touch ${merged ? '' : 'btn-primary'}`} onClick={() => overwrite(mine)}>
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

/** `fields` are undefined if both changed the same, or if the version that both are based on is gone. */
async function mergeOf({ since, mine, theirs }: EditConflict) {
  try {
    const base = since === undefined ? undefined : await versionAt(client, theirs.id, since);
    return { theirs, fields: base && (await import('./three-way-merge.ts')).merged({ base, mine, theirs }) };
  } catch {
    return undefined; // the other choices remain
  }
}

const compareBoth = async ({ mine, theirs }: EditConflict, signal: AbortSignal) => ({
  theirs,
  diffs: await compare({ before: theirs, after: mine }, signal),
});

interface VersionProps {
  readonly label: string;
  readonly fields: NoteDraft;
  /** The fields in which the versions differ. */
  readonly names: readonly (keyof NoteDraft)[];
  /** The differences of title and content; undefined until compared. */
  readonly diffs: Comparison | undefined;
  /** Which lines of the differences are those of this version. */
  readonly side: 'added' | 'removed';
}

const Version = ({ label, fields, names, diffs, side }: VersionProps) => (
  <section aria-label={label} class="min-w-0 rounded-box border border-base-300">
    <h3 class="border-b border-base-300 px-4 py-2 text-sm font-semibold">{label}</h3>
    <dl class="differences text-sm">
      {names.map((name) => {
        const diff = name === 'title' || name === 'content' ? diffs?.[name] : undefined;
        return (
          <div key={name}>
            <dt class="muted capitalize">{name}</dt>
            <dd>
              <ScrollArea
                label={`${name}, ${side === 'added' ? 'my' : 'their'} version`}
                class="max-h-80 overflow-auto font-mono break-words whitespace-pre-wrap"
                dir="auto"
              >
                {diff ? <Rows diff={diff} dir="auto" side={side} /> : fields[name]}
              </ScrollArea>
            </dd>
          </div>
        );
      })}
      {names.length === 0 && <p>Both versions say the same.</p>}
    </dl>
  </section>
);
