/**
 * The text of a note in CodeMirror, as a control of forms: it has a name, a value and a reset like a text area. It is
 * in a shadow root, where CodeMirror adopts constructed style sheets: the page's policy forbids `<style>` elements.
 */
import { defaultKeymap, history, historyKeymap, isolateHistory, redo, undo } from '@codemirror/commands';
import { LanguageSupport, syntaxHighlighting } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state';
import { type Command, EditorView, keymap, placeholder } from '@codemirror/view';
import type { Note } from '../../core/note.ts';
import {
  continueList,
  createCodeLineBreak,
  createListToggle,
  createMarkToggle,
  type EditCommand,
  indentLines,
  indentWholeLines,
  insertCode,
  insertLink,
  isFirstLineOfCode,
  mayOpenBlock,
  outdentLines,
} from './edit-commands.ts';
import { findLoadedCodeLanguage, loadOtherLanguages, markdownLanguage } from './editor-languages.ts';
import { codeTheme, editorTheme, highlightStyle, plainTheme } from './editor-theme.ts';
import { codeLineDecorations, markdownLineDecorations } from './line-decorations.ts';
import { detectTextFormat, type TextFormat } from './text-format.ts';

const toEditorCommand =
  (edit: EditCommand): Command =>
  ({ state, dispatch }) => {
    const change = edit(state);
    if (change) dispatch(state.update(change, { annotations: isolateHistory.of('full') })); // one step of undo
    return change !== undefined;
  };

/** Of the form and the page: Ctrl+Enter saves, Esc leaves, Ctrl+Shift+K opens the commands; Ctrl+I is for Markdown. */
const pageKeys = new Set(['Mod-Enter', 'Escape', 'Shift-Mod-k', 'Mod-i']);

const textKeys: Extension = [
  keymap.of([{ key: 'Tab', run: toEditorCommand(indentLines), shift: toEditorCommand(outdentLines) }]),
  keymap.of([...searchKeymap, ...defaultKeymap.filter(({ key }) => !pageKeys.has(key ?? '')), ...historyKeymap]),
];

const markdownKeys = Prec.high(
  keymap.of([
    { key: 'Enter', run: toEditorCommand(continueList) },
    { key: 'Mod-b', run: toEditorCommand(createMarkToggle('**')) },
    { key: 'Mod-i', run: toEditorCommand(createMarkToggle('_')) },
    { key: 'Mod-k', run: toEditorCommand(insertLink) },
  ]),
);

export type FormatCommand = 'list' | 'task' | 'code' | 'bold' | 'indent' | 'outdent' | 'undo' | 'redo';

const formatCommands: Readonly<Record<FormatCommand, Command>> = {
  list: toEditorCommand(createListToggle('list')),
  task: toEditorCommand(createListToggle('task')),
  code: toEditorCommand(insertCode),
  bold: toEditorCommand(createMarkToggle('**')),
  indent: toEditorCommand(indentWholeLines),
  outdent: toEditorCommand(outdentLines),
  undo,
  redo,
};

/** Phones leave code as it is typed. */
const createTypingAidAttributes = (areOn: boolean, dir: 'auto' | 'ltr') =>
  EditorView.contentAttributes.of({
    spellcheck: String(areOn),
    autocorrect: areOn ? 'on' : 'off',
    autocapitalize: areOn ? 'sentences' : 'off',
    writingsuggestions: String(areOn),
    dir,
  });

function createFormatExtension(format: TextFormat): Extension {
  const prose = [
    new LanguageSupport(markdownLanguage),
    markdownLineDecorations,
    createTypingAidAttributes(true, 'auto'),
  ];
  if (format === 'markdown') return [...prose, markdownKeys];
  if (format === 'plain') return [...prose, plainTheme];
  const language = findLoadedCodeLanguage(format);
  const isKnown = language !== undefined && language !== 'not loaded';
  return [
    isKnown ? new LanguageSupport(language) : [],
    codeLineDecorations,
    codeTheme,
    createTypingAidAttributes(false, 'ltr'),
  ];
}

/**
 * In ms. Text that is typed is looked at again in a pause of the keys: whether it is code must not change in a word.
 */
const formatDelayMs = 500;

/** Marks what the page changes itself: no input of the user. */
const pageChangeAnnotation = Annotation.define<true>();

/** The words of the panel that searches the text, which are those of the page. */
const searchPanelPhrases = EditorState.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'All',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
  go: 'Go',
});

/** Between the caret and the edge of what is seen. */
const caretMarginPx = 24;

const hintId = 'keys';

export class ContentEditor extends HTMLElement {
  static readonly formAssociated = true;
  readonly #shadowRoot = this.attachShadow({ mode: 'open', delegatesFocus: true });
  readonly #formatCompartment = new Compartment();
  #format: TextFormat = 'markdown';
  #formatTimer: ReturnType<typeof setTimeout> | undefined;
  #category: Note['category'] = 'notes';
  #defaultValue = '';
  #state = this.#createState('');
  #view: EditorView | undefined;

  constructor() {
    super();
    this.attachInternals();
    this.#shadowRoot.addEventListener('input', (event) => event.stopPropagation()); // before CodeMirror has read it
    const hint = Object.assign(document.createElement('p'), { id: hintId, hidden: true });
    hint.textContent = 'Tab indents, F6 leaves the text';
    this.#shadowRoot.append(hint);
  }

  connectedCallback(): void {
    this.#view = new EditorView({ root: this.#shadowRoot, parent: this.#shadowRoot, state: this.#state });
    this.#view.scrollDOM.removeAttribute('tabindex'); // it does not scroll itself: the focus goes to the text
  }

  disconnectedCallback(): void {
    clearTimeout(this.#formatTimer);
    this.#state = this.#currentState;
    this.#view?.destroy();
    this.#view = undefined;
  }

  formResetCallback(): void {
    this.#replaceText(this.#defaultValue, false);
  }

  get value(): string {
    return this.#currentState.doc.toString();
  }
  set value(text: string) {
    this.#replaceText(text, true);
  }

  get defaultValue(): string {
    return this.#defaultValue;
  }
  /** Shows the text if what was shown before is unchanged, as text areas do. */
  set defaultValue(text: string) {
    const isUnchanged = this.value === normalizeLineEnds(this.#defaultValue);
    this.#defaultValue = text;
    if (isUnchanged) this.#replaceText(text, false);
  }

  get category(): Note['category'] {
    return this.#category;
  }
  set category(category: Note['category']) {
    if (category === this.#category) return;
    this.#category = category;
    this.#updateFormat();
  }

  /** Whether the text is edited as code. */
  get isCode(): boolean {
    return this.#format !== 'markdown' && this.#format !== 'plain';
  }

  get selectionStart(): number {
    return this.#currentState.selection.main.from;
  }
  get selectionEnd(): number {
    return this.#currentState.selection.main.to;
  }
  setSelectionRange(start: number, end: number): void {
    const { length } = this.#currentState.doc;
    this.#dispatch({ selection: { anchor: Math.min(start, length), head: Math.min(end, length) } });
  }

  /** Selects a text, and scrolls so that its line begins this many px below the top of what scrolls. */
  selectAndScroll(start: number, end: number, top: number): void {
    this.setSelectionRange(start, end);
    this.#dispatch({ effects: EditorView.scrollIntoView(this.selectionStart, { y: 'start', yMargin: top }) });
  }

  /** Puts the caret at an offset, and scrolls if it is out of sight. */
  moveCaretIntoSight(offset: number): void {
    const at = Math.min(offset, this.#currentState.doc.length);
    this.#dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { yMargin: caretMarginPx }) });
  }

  /**
   * Finds the first line with a text, from 1, that begins below a height of the window, in px, and where in the window
   * that is. The rendering of a note has no empty lines.
   */
  findLineBelow(height: number): Readonly<{ line: number; top: number }> | undefined {
    const view = this.#view;
    if (!view) return undefined;
    const { doc } = view.state;
    const block = view.lineBlockAtHeight(height - view.documentTop);
    const first = doc.lineAt(block.from).number + (block.top + view.documentTop < height ? 1 : 0);
    let line = Math.min(first, doc.lines);
    while (line < doc.lines && doc.line(line).text.trim() === '') line++;
    return { line, top: this.findLineTop(line) };
  }

  /**
   * Where in the window a line, from 1, begins, in px; about, if it is out of sight. Of the last line if there are
   * fewer.
   */
  findLineTop(line: number): number {
    const view = this.#view;
    if (!view) return 0;
    const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
    return view.coordsAtPos(from)?.top ?? view.lineBlockAt(from).top + view.documentTop;
  }

  /** Replaces the selected text as if the new one were pasted: the user can undo it. */
  replaceSelectedText(text: string): void {
    this.#dispatch({ ...this.#currentState.replaceSelection(normalizeLineEnds(text)), userEvent: 'input.paste' });
  }

  /** Does what a button of the bar for touch screens says, as one step of undo. */
  runFormatCommand(name: FormatCommand): void {
    if (this.#view) formatCommands[name](this.#view);
  }

  override focus(options?: FocusOptions): void {
    this.#view?.contentDOM.focus(options);
  }

  get #currentState(): EditorState {
    return this.#view?.state ?? this.#state;
  }

  #dispatch(change: TransactionSpec): void {
    const transaction = this.#currentState.update(change);
    if (this.#view) this.#view.dispatch(transaction);
    else this.#state = transaction.state;
  }

  #replaceText(text: string, isUndoable: boolean): void {
    const lines = normalizeLineEnds(text);
    if (lines === this.value) return;
    const changes = { from: 0, to: this.#currentState.doc.length, insert: lines };
    const anchor = Math.min(this.selectionStart, lines.length);
    const annotations = [pageChangeAnnotation.of(true), Transaction.addToHistory.of(isUndoable)];
    this.#dispatch({ changes, selection: { anchor }, annotations });
    this.#updateFormat();
  }

  /** Edits the text as what it is now. */
  #updateFormat(): void {
    clearTimeout(this.#formatTimer);
    const format = detectTextFormat(this.#category, this.value);
    if (format === this.#format) return;
    this.#format = format;
    this.#applyFormat();
    this.dispatchEvent(new Event('formatchange', { bubbles: true }));
    if (this.isCode && findLoadedCodeLanguage(format) === 'not loaded')
      void loadOtherLanguages().then(() => this.#applyFormat());
  }

  /** Somebody may type a line faster than the format is looked at. Returns whether the text is code. */
  #insertLineBreakOfCode(view: EditorView): boolean {
    if (mayOpenBlock(view.state)) this.#updateFormat();
    if (this.isCode) return toEditorCommand(createCodeLineBreak(this.#format))(view);
    return isFirstLineOfCode(view.state) && toEditorCommand(createCodeLineBreak('python'))(view);
  }

  #scheduleFormatUpdate(): void {
    clearTimeout(this.#formatTimer);
    this.#formatTimer = setTimeout(() => {
      if (this.#view?.composing) this.#scheduleFormatUpdate();
      else this.#updateFormat();
    }, formatDelayMs);
  }

  #applyFormat(): void {
    this.#dispatch({ effects: this.#formatCompartment.reconfigure(createFormatExtension(this.#format)) });
  }

  #createState(doc: string): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Enter', run: (view) => this.#insertLineBreakOfCode(view) }])),
        this.#formatCompartment.of(createFormatExtension(this.#format)),
        textKeys,
        history(),
        search({ top: true }),
        searchPanelPhrases,
        syntaxHighlighting(highlightStyle),
        editorTheme,
        EditorView.lineWrapping,
        placeholder('Text'),
        EditorView.contentAttributes.of({ 'aria-label': 'Content', 'aria-describedby': hintId, tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged, transactions }) => {
          const isByUser =
            docChanged && transactions.some((one) => one.docChanged && !one.annotation(pageChangeAnnotation));
          if (!isByUser) return;
          this.#scheduleFormatUpdate();
          const isPaste = transactions.some((one) => one.isUserEvent('input.paste') || one.isUserEvent('input.drop'));
          this.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: isPaste ? 'insertFromPaste' : '' }));
        }),
      ],
    });
  }
}

const normalizeLineEnds = (text: string) => text.replace(/\r\n?/g, '\n');

customElements.define('content-editor', ContentEditor);
