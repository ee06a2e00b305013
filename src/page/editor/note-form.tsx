import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { fieldValues, valueFields } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { copyText } from '../copy/copy.ts';
import { keyName } from '../keyboard/keymap.ts';
import { TypedContent } from '../markdown/content.tsx';
import { setTo } from '../state/effects.ts';
import { isBesideList } from '../state/layout.ts';
import { Button, IconButton } from '../ui/buttons.tsx';
import { flushSync } from '../ui/focus.ts';
import { capitalized, valueName } from '../ui/format.ts';
import { Mark, Swatch } from '../ui/icons.tsx';
import { stopEditing } from '../ui/open-note.ts';
import { TextField, TitleField, textKeys } from './text-fields.tsx';
import { type DraftState, type NoteFormProps, type SaveState, useNoteForm } from './use-note-form.ts';

export function NoteForm(props: NoteFormProps & { readonly notice?: ComponentChildren }) {
  const { form, draftState, saveState, elsewhere, typed, choose, fields, onInput, submit, discard } =
    useNoteForm(props);
  const status = statusText(saveState, draftState);
  const isSentence = saveState.kind === 'failed' || draftState === 'unkept';

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
    const key = keyName(event);
    if (/^Ctrl\+(Shift\+)?(S|Enter)$/.test(key)) void submit();
    else if (event.key === 'F6') focusPartAfter(event.currentTarget, event.shiftKey ? -1 : 1);
    else if (key === previewKey) togglePreview();
    else return;
    event.preventDefault();
  }

  return (
    <form
      ref={form}
      class="note-form"
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={onKeyDown}
    >
      <div class="note-head">
        <Leave />
        <TitleField initial={props.initial} />
      </div>
      <div class={`form-text ${isPreviewed.value ? 'is-previewed' : ''}`}>
        <TextField initial={props.initial} category={typed.category} />
        {isPreviewed.value && <Preview typed={typed} />}
      </div>
      {elsewhere ? (
        <p class="notice" role="alert">
          <span class="flex-1">This draft was changed in another tab.</span>
          <Button onClick={() => choose(elsewhere)}>Show that</Button>
          <Button onClick={() => choose(fields())}>Keep this</Button>
        </p>
      ) : (
        props.notice
      )}
      <div class="form-foot">
        <FieldChips initial={props.initial} color={typed.color} />
        <p class={`form-state ${isSentence ? 'is-sentence' : ''}`} role="status" title={status}>
          {status || (
            <span class="keys" aria-hidden="true">
              {textKeys}
            </span>
          )}
        </p>
        {draftState !== 'same' && (
          <Button class="btn-ghost form-discard" onClick={discard}>
            Discard
          </Button>
        )}
        <Button
          class="btn-ghost form-toggle"
          aria-pressed={isPreviewed.value}
          title={`Preview (${previewKey})`}
          onMouseDown={(event) => event.preventDefault()} // the caret stays in the text
          onClick={togglePreview}
        >
          Preview
        </Button>
        <Button
          type="submit"
          class="btn-primary form-save"
          title="Save (Ctrl+S, Ctrl+Enter)"
          aria-disabled={saveState.kind === 'saving'}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

/** Focuses the next part of a form, or the one before: in the text, Tab indents. */
function focusPartAfter(form: HTMLFormElement, by: -1 | 1): void {
  const parts = ['title', 'content', 'category'].map((name) => form.elements.namedItem(name));
  const next = parts.at((parts.indexOf(document.activeElement) + by) % parts.length);
  if (next instanceof HTMLElement) next.focus();
}

export const Leave = () => (
  <IconButton
    name={isBesideList.value ? 'close' : 'back'}
    label="Leave the form"
    title="Leave the form (Esc)"
    class="note-close"
    onClick={stopEditing}
  />
);

const unkept = 'This browser cannot keep it: stay on this page until it is saved';

function statusText(attempt: SaveState, typed: DraftState): string {
  if (attempt.kind === 'saving') return 'Saving …';
  const unsaved = attempt.kind === 'unanswered' ? 'Draft, saved when the service is back' : 'Draft';
  if (attempt.kind === 'failed') return `${attempt.text}. ${typed === 'unkept' ? unkept : 'What you typed is kept'}`;
  return { same: '', kept: unsaved, unkept: `${unsaved}. ${unkept}` }[typed];
}

const FieldChips = ({ initial, color }: { initial: NoteDraft; color: NoteDraft['color'] }) => (
  <div class="note-chips" onFocusIn={showWhole}>
    {valueFields.map((name) => (
      <label key={name} class="chip-field touch">
        {name === 'color' && <Swatch color={color} />}
        <select name={name} aria-label={capitalized(name)}>
          {fieldValues[name].map((value) => (
            <option key={value} class="touch" value={value} data-value={value} {...chosenIf(value === initial[name])}>
              {name === 'color' && <Mark name={value} />}
              {valueName(value)}
            </option>
          ))}
        </select>
      </label>
    ))}
  </div>
);

/** Browsers do not scroll to a chip of which a part is seen. */
const showWhole = ({ target }: FocusEvent) =>
  target instanceof Element && target.scrollIntoView({ block: 'nearest', inline: 'center' });

/** The option that a reset of the form selects. The types of JSX lack this property. */
const chosenIf = (isChosen: boolean) => ({ defaultSelected: isChosen });

/** Whether forms show a preview, beside the text if there is room, else instead of it. */
const isPreviewed = signal(false);

const previewKey = 'Ctrl+Shift+P';

const followMs = 150;

/** Without filling in placeholders: that dialog would close the form. */
const copyBlock = (text: string) => void copyText({ text, name: 'the block' }, text);

function Preview({ typed }: { typed: NoteDraft }) {
  const shown = useSignal(typed);
  useLayoutEffect(() => {
    const timer = setTimeout(setTo(shown, typed), followMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <section class="form-preview" aria-label="Preview" tabIndex={-1}>
      {shown.value.content === '' ? (
        <p class="muted">Nothing to preview</p>
      ) : (
        <TypedContent note={shown.value} copy={copyBlock} />
      )}
    </section>
  );
}
