import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { NoteDraft } from '../../../core/note.ts';
import { fillTitle, spreadLines } from './pasted.ts';
import { indent } from './text-keys.ts';

interface FieldProps {
  readonly initial: NoteDraft;
}

interface TextFieldProps extends FieldProps {
  /** Whether the text is code. */
  readonly isCode: boolean;
}

/** The title; Enter goes on to the text. */
export const TitleField = ({ initial }: FieldProps) => (
  <input
    name="title"
    class="form-title touch"
    aria-label="Title"
    placeholder="Title"
    dir="auto"
    required
    defaultValue={initial.title}
    autocomplete="off"
    onPaste={spreadLines}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      focusField(event.currentTarget, 'content');
    }}
  />
);

/** In characters. Longer texts are not wrapped and the control does not grow: browsers need minutes to lay them out. */
const maxWrapped = 200_000;

const hintId = 'content-keys';

/** Phones leave code as it is typed. */
const asTyped = { autocapitalize: 'off', autocorrect: 'off' } as const;

/** The text; grows while typing. Tab indents, Esc leaves the field. */
export function TextField({ initial, isCode }: TextFieldProps) {
  const isLong = initial.content.length > maxWrapped;
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => grow(area.current), [initial]);
  return (
    <>
      <textarea
        ref={area}
        name="content"
        class={isLong ? 'is-long' : ''}
        aria-label="Content"
        aria-describedby={hintId}
        placeholder="Text"
        dir={isLong ? 'ltr' : 'auto'}
        wrap={isLong ? 'off' : 'soft'}
        required
        spellcheck={false}
        {...(isCode && asTyped)}
        defaultValue={initial.content}
        onFocus={({ currentTarget }) => currentTarget.scrollIntoView({ block: 'nearest' })}
        onInput={({ currentTarget }) => grow(currentTarget)}
        onPaste={fillTitle}
        onKeyDown={onTextKey}
      />
      <p id={hintId} class="form-hint keys">
        Tab indents, Esc leaves the text
      </p>
    </>
  );
}

function onTextKey(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget } = event;
  if (ctrlKey || metaKey || altKey || (key !== 'Tab' && key !== 'Escape')) return;
  event.preventDefault();
  if (key === 'Escape') focusField(currentTarget, 'category');
  else indent(currentTarget, shiftKey ? 'out' : 'in');
}

function focusField(control: HTMLInputElement | HTMLTextAreaElement, name: 'content' | 'category'): void {
  const next = control.form?.elements.namedItem(name);
  if (next instanceof HTMLElement) next.focus();
}

const growsByItself = CSS.supports('field-sizing', 'content');

/** The maximal height in lines, in browsers that do not grow controls themselves. */
const maxLines = 40;

function grow(area: HTMLTextAreaElement | null): void {
  if (area && !growsByItself) area.rows = Math.min(maxLines, area.value.split('\n', maxLines).length + 1);
}
