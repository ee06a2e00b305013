/** Edits of the text by keys. Each change is one step of the browser's own undo. */

/** Blanks that nest an item of a list below one like it: as many as its mark is wide. */
const itemStep = (line: string) => ' '.repeat(/^\s*([-*+] |\d{1,8}[.)] )/.exec(line)?.[1]?.length ?? 0);

const outdented = (line: string) => line.replace(new RegExp(`^(?:\t| {1,${itemStep(line).length || 2}})`), '');

const lineStart = (text: string, at: number) => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** Indents or outdents the selected lines, or the item of a list; else `in` inserts one level at the caret. */
export function indent(area: HTMLTextAreaElement, direction: 'in' | 'out'): void {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const step = /^\t/m.test(value) ? '\t' : '  ';
  const start = lineStart(value, from);
  if (from === to && direction === 'in' && !listMark.test(value.slice(start, from))) {
    replaceText(area, { from, to, text: step });
    return;
  }
  const last = to > from && value[to - 1] === '\n' ? to - 1 : to;
  const lineEnd = value.indexOf('\n', last);
  const end = lineEnd < 0 ? value.length : lineEnd;
  const before = value.slice(start, end).split('\n');
  const indented = (line: string) => (step === '\t' ? step : itemStep(line) || step) + line;
  const after = before.map((line) => (direction === 'out' ? outdented(line) : line && indented(line)));
  const text = after.join('\n');
  if (text.length === end - start) return;
  replaceText(area, { from: start, to: end, text });
  const moved = (after[0]?.length ?? 0) - (before[0]?.length ?? 0);
  const more = text.length - (end - start);
  area.setSelectionRange(Math.max(start, from + moved), Math.max(start, to + more));
}

const listMark = /^([ \t]*)(?:[-*+]|(\d{1,8})[.)])[ \t]+(\[[ xX]\][ \t]+)?/;

/** Begins the next item of a list, or ends the list at an empty item. Returns whether the caret is in one. */
export function continueList(area: HTMLTextAreaElement): boolean {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const start = lineStart(value, from);
  const [mark = '', , number, box] = listMark.exec(value.slice(start, from)) ?? [];
  if (mark === '' || from !== to) return false;
  const isEmpty = start + mark.length === from && /^(?:\n|$)/.test(value.slice(from));
  if (isEmpty)
    replaceText(area, { from: start, to: from, text: start === 0 ? '' : '\n' }); // what follows is no item
  else {
    const numbered = number === undefined ? mark : mark.replace(number, String(Number(number) + 1));
    const next = box === undefined ? numbered : numbered.replace(/\[[xX]\]/, '[ ]');
    replaceText(area, { from, to, text: `\n${next}` });
  }
  return true;
}

export function toggleMark(area: HTMLTextAreaElement, mark: string): void {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const [start, end] = [from - mark.length, to + mark.length];
  const chosen = value.slice(from, to);
  if (from === to && value.startsWith(mark, to) && !value.slice(0, from).endsWith(mark)) {
    area.setSelectionRange(end, end); // the end of what is marked
    return;
  }
  const isMarked = start >= 0 && value.slice(start, end) === mark + chosen + mark;
  if (isMarked) replaceText(area, { from: start, to: end, text: chosen });
  else replaceText(area, { from, to, text: mark + chosen + mark });
  const moved = isMarked ? -mark.length : mark.length;
  area.setSelectionRange(from + moved, to + moved);
}

type Replacement = Readonly<{ from: number; to: number; text: string }>;

/** Replaces a part of the text. Uses the deprecated `execCommand`, the only way to keep the browser's undo. */
export function replaceText(control: HTMLTextAreaElement, { from, to, text }: Replacement): void {
  control.focus();
  control.setSelectionRange(from, to);
  if (text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text)) return;
  control.setRangeText(text, from, to, 'end');
  control.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
