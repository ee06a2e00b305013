/** The look of the editor: what it shows stands where reading shows it, in the colors of the page. */
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const mono = 'var(--font-mono)';
const codeSize = '0.8125rem';

/** The page's own style sheet does not reach into the shadow root: its custom properties and what is inherited do. */
export const editorTheme = EditorView.theme({
  '&': { flexGrow: '1', minWidth: '0' },
  '&.cm-focused': { outline: 'none' }, // the caret shows the focus
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: 'inherit' },
  '.cm-content': { caretColor: 'var(--ring)', minWidth: '0', padding: '0' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'color-mix(in oklab, var(--color-base-content) 65%, transparent)' },
  '.cm-code-line': {
    backgroundColor: 'var(--code-background)',
    fontFamily: mono,
    fontSize: codeSize,
    fontVariantLigatures: 'none',
    padding: '0 1rem',
    '--code-line-start': '1rem',
  },
  '.cm-indented': {
    paddingInlineStart: 'calc(var(--code-line-start, 0px) + var(--hung))',
    textIndent: 'calc(-1 * var(--hung))',
    '--hung': 'min(var(--indent), 33vw)', // leaves room for the text where a screen is narrow
  },
  '.cm-long-word': { wordBreak: 'break-all' },
  '.cm-code-first': { borderRadius: 'var(--radius-box) var(--radius-box) 0 0', paddingTop: '0.25rem' },
  '.cm-code-last': { borderRadius: '0 0 var(--radius-box) var(--radius-box)', paddingBottom: '0.25rem' },
  '.cm-code-first.cm-code-last': { borderRadius: 'var(--radius-box)' },
  '.cm-heading': { lineHeight: '1.3', paddingTop: '0.4em' },
  '.cm-task': { cursor: 'pointer', fontFamily: mono, fontWeight: '600', color: 'var(--ring)' },
  '.cm-panels': {
    backgroundColor: 'var(--color-base-100)',
    borderColor: 'var(--color-base-300)',
    color: 'inherit',
    zIndex: '5',
  },
  '.cm-panel.cm-search': { fontSize: codeSize, padding: '0.375rem 2rem 0.375rem 0' },
  '.cm-panel.cm-search label': { fontSize: 'inherit' },
  '.cm-textfield': {
    backgroundColor: 'transparent',
    border: '1px solid var(--edge)',
    borderRadius: '0.375rem',
    color: 'inherit',
    font: 'inherit',
    padding: '0.25rem 0.5rem',
  },
  '.cm-button': {
    backgroundColor: 'var(--color-base-200)',
    backgroundImage: 'none',
    border: '1px solid var(--color-base-300)',
    borderRadius: '0.375rem',
    color: 'inherit',
    font: 'inherit',
    fontWeight: '500',
    padding: '0.25rem 0.625rem',
  },
  '.cm-panel.cm-search [name=close]': { color: 'inherit', fontSize: '1.125rem', padding: '0 0.5rem' },
  '.cm-searchMatch': { backgroundColor: 'light-dark(oklch(91% 0.11 95), oklch(45% 0.08 90))' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--ring)' },
  ':is(.cm-textfield, .cm-button, input, button):focus-visible': { outline: '2px solid var(--ring)' },
});

/** A note that is code stands on the same ground as in reading. */
export const codeTheme = EditorView.theme({
  '.cm-scroller': { backgroundColor: 'var(--code-background)', borderRadius: 'var(--radius-box)' },
  '.cm-content': {
    fontFamily: mono,
    fontSize: 'var(--field)',
    fontVariantLigatures: 'none',
    lineHeight: '1.6',
    padding: '0.75rem 1rem',
  },
});

export const plainTheme = EditorView.theme({ '.cm-content': { fontFamily: mono, fontSize: 'var(--field)' } });

const muted = 'var(--muted)';

export const highlightStyle = HighlightStyle.define([
  { tag: tags.heading1, fontSize: '1.25rem', fontWeight: '650' },
  { tag: tags.heading2, fontSize: '1.0625rem', fontWeight: '650' },
  { tag: tags.heading3, fontSize: '0.9375rem', fontWeight: '600' },
  { tag: [tags.heading4, tags.heading5, tags.heading6], fontSize: '0.8125rem', fontWeight: '600', color: muted },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.monospace, fontFamily: mono, fontSize: codeSize, fontVariantLigatures: 'none' },
  { tag: tags.link, textDecoration: 'underline', textUnderlineOffset: '0.15em' },
  {
    tag: [tags.processingInstruction, tags.url, tags.labelName, tags.contentSeparator, tags.documentMeta],
    color: muted,
    textDecoration: 'none', // of a link, only its text is underlined
  },
  { tag: [tags.keyword, tags.atom, tags.bool, tags.null, tags.meta, tags.modifier], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  {
    tag: [tags.propertyName, tags.attributeName, tags.standard(tags.variableName), tags.definition(tags.variableName)],
    color: 'var(--code-name)',
  },
  {
    tag: [tags.special(tags.variableName), tags.tagName, tags.className, tags.typeName, tags.deleted],
    color: 'var(--code-variable)',
  },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
]);
