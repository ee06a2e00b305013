import { useSignal } from '@preact/signals';
import type { TargetedClipboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Note, NoteDraft } from '../../core/note.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { createLazyPartGetter } from '../ui/lazy-parts.ts';
import type { AutomaticFields, TextFields } from './automatic-fields.ts';
import type { ContentEditor } from './content-editor.ts';
import { createContentEditor, findTextControl, type TextControl } from './text-control.ts';
import { useEditorPosition } from './use-editor-position.ts';

interface TitleFieldProps {
  readonly initial: NoteDraft;
  readonly automatic: AutomaticFields;
}

export const TitleField = ({ initial, automatic }: TitleFieldProps) => (
  <textarea
    name="title"
    class="note-title"
    rows={1}
    aria-label="Title"
    placeholder="Title"
    dir="auto"
    defaultValue={initial.title}
    autocomplete="off"
    onPaste={(event) => handleTitlePaste(event, automatic)}
    onInput={({ currentTarget: { form } }) => {
      const fields = readTextFields(form);
      if (fields) showCategory(form, automatic.followEmptying(fields));
    }}
    onBeforeInput={(event) => {
      if (event.inputType !== 'insertLineBreak') return;
      event.preventDefault();
      findTextControl(event.currentTarget.form, 'content')?.focus();
    }}
  />
);

/** Several lines pasted into the title of an empty note become its text, else one line. */
function handleTitlePaste(event: TargetedClipboardEvent<HTMLTextAreaElement>, automatic: AutomaticFields): void {
  const { currentTarget: title, clipboardData } = event;
  const { form } = title;
  const fields = readTextFields(form);
  const content = findTextControl(form, 'content');
  const text = (clipboardData?.getData('text/plain') ?? '').replace(/\r\n?/g, '\n');
  const isEmpty = fields !== undefined && fields.title === '' && fields.content === '';
  if (isEmpty && content && text.trim().includes('\n')) {
    event.preventDefault();
    insertAsTyped(content, text);
    return;
  }
  if (isEmpty && text.trim() !== '') showCategory(form, automatic.guessCategory(text, fields));
  if (!text.includes('\n')) return;
  event.preventDefault();
  insertAsTyped(title, text.trim().replace(/\s*\n\s*/g, ' '));
}

/** Undefined while the form is not complete. */
function readTextFields(form: HTMLFormElement | null): TextFields | undefined {
  const title = findTextControl(form, 'title');
  const content = findTextControl(form, 'content');
  const category = findCategorySelect(form);
  return title && content && category && { title: title.value, content: content.value, category: category.value };
}

function findCategorySelect(form: HTMLFormElement | null): HTMLSelectElement | undefined {
  const select = form?.elements.namedItem('category');
  return select instanceof HTMLSelectElement ? select : undefined;
}

function showCategory(form: HTMLFormElement | null, category: string): void {
  const select = findCategorySelect(form);
  if (select) select.value = category;
}

/** Replaces what is selected, as if it were typed. */
function insertAsTyped(field: TextControl, text: string): void {
  field.focus();
  if (field instanceof HTMLTextAreaElement)
    document.execCommand('insertText', false, text); // deprecated, and undoable
  else field.replaceSelectedText(text);
}

/** In characters. A text area with more is not wrapped and does not grow: browsers need minutes to lay it out. */
const maxWrappedLength = 200_000;

const findOrLoadContentEditor = createLazyPartGetter(() => import('./content-editor.ts'));

/** Loads the editor early. A failure is reported where it is used. */
export const preloadContentEditor = (): void => void import('./content-editor.ts').catch(() => {});

interface TextFieldProps {
  readonly initial: NoteDraft;
  readonly automatic: AutomaticFields;
  readonly category: Note['category'];
  /** Undefined for a new note. */
  readonly noteId: Note['id'] | undefined;
  /** Whether a draft is continued, at its end. */
  readonly isContinued: boolean;
}

/** The text in its editor. Until that is loaded, and while somebody types into it, a text area stands in for it. */
export function ContentField({ initial, automatic, category, noteId, isContinued }: TextFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<ContentEditor>(null);
  const isTypedInto = useSignal(false);
  const isReady = findOrLoadContentEditor() !== undefined && !isTypedInto.value;
  const replaced = useRef<ReplacedArea>(undefined);
  if (isReady && area.current) replaced.current = createReplacedArea(area.current);
  useLayoutEffect(() => {
    if (!editor.current || !replaced.current) return;
    copyAreaToEditor(editor.current, replaced.current);
    replaced.current = undefined;
  }, [isReady]);
  useEditorPosition(noteId, isContinued, { area, editor, isReady });

  function updateAutomaticFields(control: TextControl, { inputType }: InputEvent): void {
    const form = control.closest('form');
    const title = findTextControl(form, 'title');
    const fields = readTextFields(form);
    if (!title || !fields) return;
    const next = automatic.followContent(fields, pasteInputTypes.has(inputType));
    if (title.value !== next.title) title.value = next.title;
    showCategory(form, next.category);
  }

  if (isReady) {
    return createContentEditor({
      ref: editor,
      name: 'content',
      category,
      defaultValue: initial.content,
      onInput: (event) => updateAutomaticFields(event.currentTarget, event),
    });
  }
  const isLong = initial.content.length > maxWrappedLength;
  const beginTyping = createSetter(isTypedInto, true);
  return (
    <textarea
      ref={area}
      name="content"
      class={isLong ? 'is-long' : ''}
      aria-label="Content"
      placeholder="Write or paste"
      dir={isLong ? 'ltr' : 'auto'}
      wrap={isLong ? 'off' : 'soft'}
      defaultValue={initial.content}
      onCompositionStart={beginTyping}
      onInput={(event) => {
        beginTyping();
        updateAutomaticFields(event.currentTarget, event);
      }}
      onBlur={({ currentTarget }) => {
        isTypedInto.value = document.activeElement === currentTarget; // as when the window is left
      }}
    />
  );
}

const pasteInputTypes: ReadonlySet<string> = new Set(['insertFromPaste', 'insertFromDrop']);

/** What the editor takes over from the text area that stood in for it. */
interface ReplacedArea {
  readonly value: string;
  readonly selection: readonly [start: number, end: number];
  readonly isFocused: boolean;
}

const createReplacedArea = (area: HTMLTextAreaElement): ReplacedArea => ({
  value: area.value,
  selection: [area.selectionStart, area.selectionEnd],
  isFocused: document.activeElement === area,
});

function copyAreaToEditor(editor: ContentEditor, { value, selection, isFocused }: ReplacedArea): void {
  editor.value = value;
  editor.setSelectionRange(...selection);
  if (isFocused) editor.focus({ preventScroll: true });
}
