import type { TargetedClipboardEvent, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Note, NoteDraft } from '../../core/note.ts';
import { deriveTitle } from '../../core/text/derive-title.ts';
import type { CodeLanguage } from '../markdown/code.ts';
import { codeLanguage, hasMarkdown } from '../markdown/plain-text.ts';
import { trustedHtml } from '../markdown/trusted-types.ts';
import { lazy } from '../ui/lazy.ts';
import { continueList, indent, replaceText, toggleMark } from './text-keys.ts';

const fieldOf = (control: HTMLTextAreaElement, name: 'title' | 'content') => {
  const field = control.form?.elements.namedItem(name);
  return field instanceof HTMLElement && 'value' in field ? field : undefined;
};

export const TitleField = ({ initial }: { initial: NoteDraft }) => (
  <textarea
    name="title"
    class="note-title"
    rows={1}
    aria-label="Title"
    placeholder="Title"
    dir="auto"
    defaultValue={initial.title}
    autocomplete="off"
    onPaste={spreadLines}
    onBeforeInput={(event) => {
      if (event.inputType !== 'insertLineBreak') return;
      event.preventDefault();
      fieldOf(event.currentTarget, 'content')?.focus();
    }}
  />
);

/** Several lines pasted into the title of an empty note become its text, else one line. */
function spreadLines(event: TargetedClipboardEvent<HTMLTextAreaElement>): void {
  const { currentTarget: title, clipboardData } = event;
  const content = fieldOf(title, 'content');
  const text = (clipboardData?.getData('text/plain') ?? '').replace(/\r\n?/g, '\n');
  const isEmpty = title.value === '' && content instanceof HTMLTextAreaElement && content.value === '';
  if (!text.includes('\n')) return;
  event.preventDefault();
  const line = text.trim().replace(/\s*\n\s*/g, ' ');
  if (isEmpty && text.trim().includes('\n')) replaceText(content, { from: 0, to: 0, text });
  else replaceText(title, { from: title.selectionStart, to: title.selectionEnd, text: line });
}

/** In characters. Longer texts are not wrapped and the control does not grow: browsers need minutes to lay them out. */
const maxWrapped = 200_000;

/** In characters. Colouring more would delay the next key. */
const maxColoured = 20_000;

const hintId = 'content-keys';
export const textKeys = 'Tab indents, F6 leaves the text';

/** The text; grows while typing. F6 moves between parts of windows. */
export function TextField({ initial, category }: { initial: NoteDraft; category: Note['category'] }) {
  const isLong = initial.content.length > maxWrapped;
  const language = codeLanguage(category);
  const area = useRef<HTMLTextAreaElement>(null);
  const firstLine = useRef(deriveTitle(initial.content));
  const [typed, setTyped] = useState(initial.content);
  useLayoutEffect(() => {
    grow(area.current);
    setTyped(initial.content);
    firstLine.current = deriveTitle(initial.content);
  }, [initial]);
  const isColoured = language !== undefined && typed.length <= maxColoured && codePart() !== undefined;

  function onInput(control: HTMLTextAreaElement): void {
    grow(control);
    setTyped(control.value);
    const title = fieldOf(control, 'title');
    const next = deriveTitle(control.value);
    if (title instanceof HTMLTextAreaElement && title.value === firstLine.current) title.value = next;
    firstLine.current = next;
  }

  return (
    <>
      {isColoured && <Coloured text={typed} language={language} />}
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
        spellcheck={language === undefined}
        {...(language && ({ autocapitalize: 'off', autocorrect: 'off' } as const))}
        defaultValue={initial.content}
        onInput={({ currentTarget }) => onInput(currentTarget)}
        onKeyDown={(event) => onTextKey(event, hasMarkdown(category))}
      />
      <p id={hintId} hidden>
        {textKeys}
      </p>
    </>
  );
}

const codePart = lazy(() => import('../markdown/code.ts'));

/** The text as code is coloured, behind a text area whose own letters are transparent. */
function Coloured({ text, language }: { text: string; language: CodeLanguage }) {
  const html = `${codePart()?.colouredHtml(text, language) ?? ''}\n`;
  const inserted = useMemo(() => ({ __html: trustedHtml(html) }), [html]);
  return <pre class="form-colours" aria-hidden="true" dangerouslySetInnerHTML={inserted} />;
}

const marks: Readonly<Record<string, string>> = { b: '**', i: '_' };

function onTextKey(event: TargetedKeyboardEvent<HTMLTextAreaElement>, isMarkdown: boolean): void {
  const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget: area } = event;
  const isPlain = !(ctrlKey || metaKey || altKey);
  const mark = isMarkdown && !isPlain && !altKey && !shiftKey ? marks[key.toLowerCase()] : undefined;
  if (mark) toggleMark(area, mark);
  else if (!isPlain) return;
  else if (key === 'Tab') indent(area, shiftKey ? 'out' : 'in');
  else if (key !== 'Enter' || shiftKey || !isMarkdown || !continueList(area)) return;
  event.preventDefault();
}

const growsByItself = CSS.supports('field-sizing', 'content');

const maxLines = 40;

function grow(area: HTMLTextAreaElement | null): void {
  if (area && !growsByItself) area.rows = Math.min(maxLines, area.value.split('\n', maxLines).length + 1);
}
