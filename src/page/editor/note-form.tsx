import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { categories, colors, groups } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { copyText } from '../copy/copy.ts';
import { keyName } from '../keyboard/keymap.ts';
import { TypedContent } from '../markdown/content.tsx';
import { isBesideList } from '../state/layout.ts';
import { Button, IconButton } from '../ui/buttons.tsx';
import { flushSync } from '../ui/focus.ts';
import { capitalized, valueName } from '../ui/format.ts';
import { Swatch } from '../ui/icons.tsx';
import { stopEditing } from '../ui/open-note.ts';
import { TextField, TitleField, textKeys } from './text-fields.tsx';
import { type DraftState, type NoteFormProps, type SaveState, useNoteForm } from './use-note-form.ts';

export function NoteForm(props: NoteFormProps & { readonly notice?: ComponentChildren }) {
  const { form, draftState, saveState, elsewhere, choose, fields, onInput, submit, discard } = useNoteForm(props);
  const [category, setCategory] = useState(props.initial.category);
  const status = statusText(saveState, draftState);
  const isSentence = saveState.kind === 'failed' || draftState === 'unkept';

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
    const isSave = /^Ctrl\+(Shift\+)?(S|Enter)$/.test(keyName(event));
    const isF6 = event.key === 'F6';
    if (!isSave && !isF6 && !isPreviewKey(event)) return;
    event.preventDefault();
    if (isSave) void submit();
    else if (isF6) focusPartAfter(event.currentTarget, event.shiftKey ? -1 : 1);
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
      <div class="note-head">
        <Leave />
        <TitleField initial={props.initial} />
      </div>
      <div class={`form-text ${isPreviewed.value ? 'is-previewed' : ''}`}>
        <TextField initial={props.initial} category={category} />
        {isPreviewed.value && <Preview form={form} fields={fields} />}
      </div>
      {elsewhere ? <DraftElsewhere take={() => choose(elsewhere)} keep={() => choose(fields())} /> : props.notice}
      <div class="form-foot">
        <FieldChips initial={props.initial} />
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

const DraftElsewhere = ({ take, keep }: { take: () => void; keep: () => void }) => (
  <p class="notice" role="alert">
    <span class="flex-1">This draft was changed in another tab.</span>
    <Button onClick={take}>Show that</Button>
    <Button onClick={keep}>Keep this</Button>
  </p>
);

const unkept = 'This browser cannot keep it: stay on this page until it is saved';

function statusText(attempt: SaveState, typed: DraftState): string {
  if (attempt.kind === 'saving') return 'Saving …';
  const unsaved = attempt.kind === 'unanswered' ? 'Draft, saved when the service is back' : 'Draft';
  if (attempt.kind === 'failed') return `${attempt.text}. ${typed === 'unkept' ? unkept : 'What you typed is kept'}`;
  return { same: '', kept: unsaved, unkept: `${unsaved}. ${unkept}` }[typed];
}

function FieldChips({ initial }: { initial: NoteDraft }) {
  const color = useSignal(initial.color);
  useLayoutEffect(() => {
    color.value = initial.color;
  }, [initial]);
  return (
    <div class="note-chips" onFocusIn={showWhole}>
      <Chip name="category" values={categories} chosen={initial.category} />
      <Chip name="group" values={groups} chosen={initial.group} />
      <label class="chip-field touch">
        <Swatch color={color.value} />
        <select
          name="color"
          aria-label="Color"
          onChange={({ currentTarget }) => {
            color.value = colors.find((known) => known === currentTarget.value) ?? color.value;
          }}
        >
          <Options values={colors} chosen={initial.color} before={(value) => <Swatch color={value} />} />
        </select>
      </label>
    </div>
  );
}

/** Browsers do not scroll to a chip of which a part is seen. */
const showWhole = ({ target }: FocusEvent) =>
  target instanceof Element && target.scrollIntoView({ block: 'nearest', inline: 'center' });

interface ChipProps extends OptionsProps<string> {
  readonly name: 'category' | 'group';
}

const Chip = ({ name, values, chosen }: ChipProps) => (
  <label class="chip-field touch">
    <select name={name} aria-label={capitalized(name)}>
      <Options values={values} chosen={chosen} />
    </select>
  </label>
);

interface OptionsProps<Value extends string> {
  readonly values: readonly Value[];
  readonly chosen: string;
  readonly before?: (value: Value) => ComponentChildren;
}

const Options = <Value extends string>({ values, chosen, before }: OptionsProps<Value>) =>
  values.map((value) => (
    <option key={value} class="touch" value={value} data-value={value} {...chosenIf(value === chosen)}>
      {before?.(value)}
      {valueName(value)}
    </option>
  ));

/** The option that a reset of the form selects. The types of JSX lack this property. */
const chosenIf = (isChosen: boolean) => ({ defaultSelected: isChosen });

/** Whether forms show a preview, beside the text if there is room, else instead of it. */
const isPreviewed = signal(false);

const previewKey = 'Ctrl+Shift+P';

const isPreviewKey = (event: KeyboardEvent) => keyName(event) === previewKey;

const followMs = 150;

/** Without filling in placeholders: that dialog would close the form. */
const copyBlock = (text: string) => void copyText({ text, name: 'the block' }, text);

interface PreviewProps {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly fields: () => NoteDraft;
}

function Preview({ form, fields }: PreviewProps) {
  const shown = useSignal(fields());
  useLayoutEffect(() => {
    const { current: element } = form;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        shown.value = fields();
      }, followMs);
    };
    element?.addEventListener('input', follow);
    return () => {
      clearTimeout(timer);
      element?.removeEventListener('input', follow);
    };
  }, []);
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
