import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { fieldValues, type ValueField, valueFields } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { copyTextAndNotify } from '../copy/copy-to-clipboard.ts';
import { formatPressedKey } from '../keyboard/keymap.ts';
import { type CopyPart, PreviewedContent } from '../markdown/rendered-content.tsx';
import { isPaneBesideList } from '../state/layout.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { isTouchScreen } from '../state/touch-screen.ts';
import { Button, IconButton } from '../ui/buttons.tsx';
import { capitalizeFirstLetter, formatValueLabel } from '../ui/format-for-page.ts';
import { IconOrSwatch, Swatch } from '../ui/icons.tsx';
import { createLazyView } from '../ui/lazy-parts.ts';
import { flushSync } from '../ui/move-focus.ts';
import { closeFormAndFocus } from '../ui/open-note.ts';
import { AutomaticFields } from './automatic-fields.ts';
import { isFormSaving, mustChooseText, type NoteFormState } from './note-form-state.ts';
import { guessPastedCategory } from './pasted-draft.ts';
import { ContentField, TitleField } from './text-fields.tsx';
import { type NoteFormProps, useNoteForm } from './use-note-form.ts';

const FormatBar = createLazyView(() => import('./format-bar.tsx').then((part) => part.FormatBar));

export function NoteForm(props: NoteFormProps & { readonly notice?: ComponentChildren }) {
  const { form, state, isContinued, onInput, submit, discard, choose } = useNoteForm(props);
  const { fields, otherTab, fault } = state;
  const noteId = 'id' in props.original ? props.original.id : undefined;
  const [automatic] = useState(
    () => new AutomaticFields(props.initial, noteId === undefined ? guessPastedCategory : undefined),
  );
  useLayoutEffect(() => automatic.reset(props.initial), [props.initial]);
  const status = formatFormStatus(state);
  const isSentence = state.phase.kind === 'failed' || state.draft === 'unkept';

  function togglePreview(): void {
    flushSync(() => {
      isPreviewShown.value = !isPreviewShown.value;
    });
    const { activeElement } = document;
    if (activeElement !== document.body && activeElement?.checkVisibility()) return;
    const parts = [...(form.current?.querySelectorAll<HTMLElement>('[name=content], .form-preview') ?? [])];
    parts.find((part) => part.checkVisibility())?.focus();
  }

  function onKeyDown(event: TargetedKeyboardEvent<HTMLFormElement>): void {
    const key = formatPressedKey(event);
    if (/^Ctrl\+(Shift\+)?(S|Enter)$/.test(key)) void submit(key.endsWith('S'));
    else if (event.key === 'F6') focusFormPartBeside(event.currentTarget, event.shiftKey ? -1 : 1);
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
        void submit(false);
      }}
      onKeyDown={onKeyDown}
    >
      <div class="note-head">
        <LeaveFormButton />
        <TitleField initial={props.initial} automatic={automatic} />
      </div>
      <div class={`form-text ${isPreviewShown.value ? 'is-previewed' : ''}`}>
        <ContentField
          initial={props.initial}
          automatic={automatic}
          category={fields.category}
          noteId={noteId}
          isContinued={isContinued}
        />
        {isPreviewShown.value && <FormPreview typed={fields} />}
      </div>
      <FieldSelects initial={props.initial} color={fields.color} />
      {isTouchScreen.value && !isPreviewShown.value && <FormatBar />}
      {fault !== undefined && (
        <p class="notice" role="alert">
          {fault}
        </p>
      )}
      {otherTab ? (
        <p class="notice" role={mustChooseText(state) ? 'alert' : 'status'}>
          <span class="flex-1">
            {mustChooseText(state) ? 'This draft was changed in another tab.' : 'Another tab has a draft of this.'}
          </span>
          <Button onClick={() => choose(otherTab)}>Show that</Button>
          {mustChooseText(state) && <Button onClick={() => choose(fields)}>Keep this</Button>}
        </p>
      ) : (
        props.notice
      )}
      <div class="form-foot">
        <p class={`form-state ${isSentence ? 'is-sentence' : ''}`} role="status" title={status}>
          {status || (
            <span class="keys" aria-hidden="true">
              Tab indents, F6 leaves the text
            </span>
          )}
        </p>
        {state.draft !== 'same' && (
          <Button class="btn-ghost form-discard" onClick={discard}>
            Discard
          </Button>
        )}
        <Button
          class="btn-ghost form-toggle"
          aria-pressed={isPreviewShown.value}
          title={`Preview (${previewKey})`}
          onMouseDown={(event) => event.preventDefault()} // the caret stays in the text
          onClick={togglePreview}
        >
          Preview
        </Button>
        <Button
          type="submit"
          class="btn-primary form-save"
          title="Save and close (Ctrl+Enter), save and stay (Ctrl+S)"
          aria-disabled={isFormSaving(state)}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

/** Focuses the next part of a form, or the one before: in the text, Tab indents. */
function focusFormPartBeside(form: HTMLFormElement, by: -1 | 1): void {
  const parts = ['title', 'content', 'category'].map((name) => form.elements.namedItem(name));
  const next = parts.at((parts.indexOf(document.activeElement) + by) % parts.length);
  if (next instanceof HTMLElement) next.focus();
}

export const LeaveFormButton = () => (
  <IconButton
    name={isPaneBesideList.value ? 'close' : 'back'}
    label="Leave the form"
    title="Leave the form (Esc)"
    class="note-close"
    onClick={closeFormAndFocus}
  />
);

const unkeptDraftWarning = 'This browser cannot keep it: stay on this page until it is saved';

function formatFormStatus({ phase, draft }: NoteFormState): string {
  if (phase.kind === 'saving') return 'Saving …';
  const unsaved = phase.kind === 'unanswered' ? 'Draft, saved when the service is back' : 'Draft';
  if (phase.kind === 'failed')
    return `${phase.text}. ${draft === 'unkept' ? unkeptDraftWarning : 'What you typed is kept'}`;
  return { same: '', kept: unsaved, unkept: `${unsaved}. ${unkeptDraftWarning}` }[draft];
}

/** All values of a field, and the one that a later version of the service has given to the note. */
const listValuesWith = (name: ValueField, value: NoteDraft[ValueField]) => [...new Set([...fieldValues[name], value])];

const FieldSelects = ({ initial, color }: { initial: NoteDraft; color: NoteDraft['color'] }) => (
  <div class="note-chips" onFocusIn={scrollChipIntoView}>
    {valueFields.map((name) => (
      <label key={name} class="chip-field touch">
        {name === 'color' && <Swatch color={color} />}
        <select name={name} aria-label={capitalizeFirstLetter(name)}>
          {listValuesWith(name, initial[name]).map((value) => (
            <option
              key={value}
              class="touch"
              value={value}
              data-value={value}
              {...createDefaultSelectedProps(value === initial[name])}
            >
              {name === 'color' && <IconOrSwatch name={value} />}
              {formatValueLabel(value)}
            </option>
          ))}
        </select>
      </label>
    ))}
  </div>
);

/** Browsers do not scroll to a chip of which a part is seen. */
const scrollChipIntoView = ({ target }: FocusEvent) =>
  target instanceof Element && target.scrollIntoView({ block: 'nearest', inline: 'center' });

/** The option that a reset of the form selects. The types of JSX lack this property. */
const createDefaultSelectedProps = (isChosen: boolean) => ({ defaultSelected: isChosen });

/** Whether forms show a preview, beside the text if there is room, else instead of it. */
const isPreviewShown = signal(false);

const previewKey = 'Ctrl+Shift+P';

const previewDelayMs = 150;

/** Without filling in placeholders: that dialog would close the form. */
const copyPartAsWritten: CopyPart = ({ kind, text }) => void copyTextAndNotify({ text, name: `the ${kind}` }, text);

function FormPreview({ typed }: { typed: NoteDraft }) {
  const shown = useSignal(typed);
  useLayoutEffect(() => {
    const timer = setTimeout(createSetter(shown, typed), previewDelayMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <section class="form-preview" aria-label="Preview" tabIndex={-1}>
      {shown.value.content === '' ? (
        <p class="muted">Nothing to preview</p>
      ) : (
        <PreviewedContent note={shown.value} copy={copyPartAsWritten} />
      )}
    </section>
  );
}
