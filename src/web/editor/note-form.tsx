import { categories, colors, groups } from '../../domain/enums.ts';
import type { NoteDraft } from '../../domain/note.ts';
import { titleOf } from '../../domain/title.ts';
import { Swatch } from '../ui/swatch.tsx';
import { type DraftState, type NoteFormProps, type SaveState, useNoteForm } from './use-note-form.ts';

/** The fields of a note, and whether they are saved. */
export function NoteForm(props: NoteFormProps) {
  const { form, draftState, saveState, onInput, submit, cancel } = useNoteForm(props);
  return (
    <form
      ref={form}
      class="note-form"
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void submit();
      }}
    >
      <Fields initial={props.initial} />
      <div class="form-foot">
        <button
          type="submit"
          class="btn btn-primary btn-sm touch"
          title="Save (Ctrl+Enter)"
          aria-disabled={saveState.kind === 'saving'}
        >
          Save
        </button>
        <button type="button" class="btn btn-ghost btn-sm touch" onClick={cancel}>
          {draftState === 'same' ? 'Cancel' : 'Discard changes'}
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
  if (attempt.kind === 'failed') return `${attempt.text}. ${typed === 'unkept' ? unkept : 'What you typed is kept'}`;
  return { same: '', changed: 'Not saved', kept: 'Not saved. Kept in this browser', unkept: `Not saved. ${unkept}` }[
    typed
  ];
}

/** Longer texts are not wrapped, in characters: wrapping them takes a browser minutes. */
const maxWrapped = 200_000;

function Fields({ initial }: { initial: NoteDraft }) {
  const isLong = initial.content.length > maxWrapped;
  return (
    <div class="note-fields">
      <label class="field">
        <span>Title</span>
        <input
          name="title"
          class="input w-full touch"
          dir="auto"
          required
          defaultValue={initial.title}
          autocomplete="off"
        />
      </label>
      <div class="flex flex-wrap gap-4">
        <Select name="category" values={categories} chosen={initial.category} />
        <Select name="group" values={groups} chosen={initial.group} />
      </div>
      <fieldset>
        <legend class="mb-1 text-sm font-medium">Colour</legend>
        <div class="colours">
          {colors.map((color) => (
            <label key={color} class="colour touch">
              <input
                type="radio"
                name="color"
                value={color}
                class="radio radio-xs"
                defaultChecked={color === initial.color}
              />
              <Swatch color={color} />
              {color}
            </label>
          ))}
        </div>
      </fieldset>
      <label class="field flex-[1_0_12rem]">
        <span>Content</span>
        <textarea
          name="content"
          class="textarea w-full flex-1 resize-none font-mono"
          dir={isLong ? 'ltr' : 'auto'}
          wrap={isLong ? 'off' : 'soft'}
          required
          spellcheck={false}
          defaultValue={initial.content}
          onFocus={({ currentTarget }) => currentTarget.scrollIntoView({ block: 'nearest' })}
          onPaste={fillTitle}
        />
      </label>
    </div>
  );
}

interface SelectProps {
  readonly name: 'category' | 'group';
  readonly values: readonly string[];
  readonly chosen: string;
}

const Select = ({ name, values, chosen }: SelectProps) => (
  <label class="field min-w-32 flex-1">
    <span class="capitalize">{name}</span>
    <select name={name} class="select w-full touch">
      {values.map((value) => (
        <option key={value} value={value} {...chosenIf(value === chosen)}>
          {value}
        </option>
      ))}
    </select>
  </label>
);

/** The option that a reset of the form selects. The types of JSX lack this property. */
const chosenIf = (isChosen: boolean) => ({ defaultSelected: isChosen });

/** Fills in an empty title from the pasted text. */
function fillTitle({ currentTarget, clipboardData }: ClipboardEvent & { currentTarget: HTMLTextAreaElement }): void {
  const title = currentTarget.form?.elements.namedItem('title');
  if (!(title instanceof HTMLInputElement) || title.value !== '') return;
  title.value = titleOf(clipboardData?.getData('text/plain') ?? '');
}
