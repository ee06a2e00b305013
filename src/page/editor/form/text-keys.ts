/** Edits of the text by keys and pastes. Each change is one step of the browser's own undo. */

/** One level of indentation: a tab if lines start with tabs, else two spaces. */
const stepIn = (text: string) => (/^\t/m.test(text) ? '\t' : '  ');

const outdented = (line: string) => line.replace(/^(?:\t| {1,2})/, '');

/** Indents or outdents the selected lines; without a selection, `in` inserts one level at the caret. */
export function indent(area: HTMLTextAreaElement, direction: 'in' | 'out'): void {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const step = stepIn(value);
  if (from === to && direction === 'in') {
    replaceText(area, { from, to, text: step });
    return;
  }
  const start = from === 0 ? 0 : value.lastIndexOf('\n', from - 1) + 1;
  const last = to > from && value[to - 1] === '\n' ? to - 1 : to;
  const lineEnd = value.indexOf('\n', last);
  const end = lineEnd < 0 ? value.length : lineEnd;
  const before = value.slice(start, end).split('\n');
  const after = before.map((line) => (direction === 'out' ? outdented(line) : line && step + line));
  const text = after.join('\n');
  if (text.length === end - start) return;
  replaceText(area, { from: start, to: end, text });
  const moved = (after[0]?.length ?? 0) - (before[0]?.length ?? 0);
  const more = text.length - (end - start);
  area.setSelectionRange(Math.max(start, from + moved), Math.max(start, to + more));
}

interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Replaces a part of the text. Uses the deprecated `execCommand`, the only way to keep the browser's undo. */
export function replaceText(control: HTMLTextAreaElement | HTMLInputElement, { from, to, text }: Replacement): void {
  control.focus();
  control.setSelectionRange(from, to);
  if (text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text)) return;
  control.setRangeText(text, from, to, 'end');
  control.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
