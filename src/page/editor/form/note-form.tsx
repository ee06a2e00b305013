import type { TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import { isCode } from '../../markdown/plain-text.ts';
import { flushSync } from '../../ui/focus.ts';
import { Metadata } from './metadata.tsx';
import { isPreviewed, isPreviewKey, Preview, previewKey } from './preview.tsx';
import { TextField, TitleField } from './text-fields.tsx';
import { type DraftState, type NoteFormProps, type SaveState, useNoteForm } from './use-note-form.ts';

/** The fields of a note with their save state. */
export function NoteForm(props: NoteFormProps) {
  const { form, draftState, saveState, fields, onInput, submit, cancel } = useNoteForm(props);
  const [category, setCategory] = useState(props.initial.category);

  /** Moves the focus along if preview and text replace each other. */
  function togglePreview(): void {
    flushSync(() => {
      isPreviewed.value = !isPreviewed.value;
    });
    const { activeElement } = document;
    if (activeElement !== document.body && activeElement?.checkVisibility()) return;
    const parts = [...(form.current?.querySelectorAll<HTMLElement>('[name=content], .form-preview') ?? [])];
    parts.find((part) => part.checkVisibility())?.focus();
  }

  function onKeyDown(event: TargetedKeyboardEvent<HTMLFormElement>): void {
    const isSave = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!isSave && !isPreviewKey(event)) return;
    event.preventDefault();
    if (isSave) void submit();
    else togglePreview();
  }

  return (
    <form
      ref={form}
      class="note-form"
      onInput={() => {
        onInput();
        setCategory(fields().category);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={onKeyDown}
    >
      <div class="note-fields">
        <TitleField initial={props.initial} />
        <div class={`form-text ${isPreviewed.value ? 'is-previewed' : ''}`}>
          <TextField initial={props.initial} isCode={isCode(category)} />
          {isPreviewed.value && <Preview form={form} fields={fields} />}
        </div>
      </div>
      <div class="form-foot">
        <Metadata initial={props.initial} />
        <button
          type="submit"
          class="btn btn-primary btn-sm touch"
          title="Save (Ctrl+Enter)"
          aria-disabled={saveState.kind === 'saving'}
        >
          Save
          <span class="max-sm:hidden" aria-hidden="true">
            Ctrl+Enter
          </span>
        </button>
        <button type="button" class="btn btn-ghost btn-sm touch" onClick={cancel}>
          {draftState === 'same' ? 'Cancel' : 'Discard changes'}
        </button>
        <button
          type="button"
          class="btn btn-ghost btn-sm touch"
          aria-pressed={isPreviewed.value}
          title={`Preview (${previewKey})`}
          onClick={togglePreview}
        >
          Preview
        </button>
        <p class="flex-[1_1_16rem] text-sm" role="status">
          {statusText(saveState, draftState)}
        </p>
      </div>
    </form>
  );
}

const unkept = 'This browser cannot keep it: stay on this page until it is saved';

function statusText(attempt: SaveState, typed: DraftState): string {
  if (attempt.kind === 'saving') return 'Saving …';
  if ('text' in attempt) {
    const next = attempt.kind === 'unanswered' ? ', and saved when the service answers' : '';
    return `${attempt.text}. ${typed === 'unkept' ? unkept : `What you typed is kept${next}`}`;
  }
  return { same: '', kept: 'Not saved. Kept in this browser', unkept: `Not saved. ${unkept}` }[typed];
}
