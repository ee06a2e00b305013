/** Edits of the text by keys: each takes the state of the editor, and returns the change, or undefined without one. */
import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state';

export type EditCommand = (state: EditorState) => TransactionSpec | undefined;

const listMarkPattern = /^([ \t]*)(?:[-*+]|(\d{1,8})[.)])[ \t]+(\[[ xX]\][ \t]+)?/;

/** The spaces that nest an item of a list below one like it: as many as its mark is wide. */
const createNestingSpaces = (line: string) => ' '.repeat(/^\s*([-*+] |\d{1,8}[.)] )/.exec(line)?.[1]?.length ?? 0);

const isIndentedByTabs = (state: EditorState) => /^\t/m.test(state.doc.toString());

const getIndentStep = (state: EditorState) => (isIndentedByTabs(state) ? '\t' : '  ');

/** Inserts one level of indentation at the caret, or indents the item of a list, or all selected lines. */
export const indentLines: EditCommand = (state) => {
  const { from, empty } = state.selection.main;
  const line = state.doc.lineAt(from);
  if (empty && !listMarkPattern.test(line.text.slice(0, from - line.from))) {
    return { ...state.replaceSelection(getIndentStep(state)), userEvent: 'input.indent' };
  }
  return indentWholeLines(state);
};

/** Indents the line of the caret, or all selected lines. */
export const indentWholeLines: EditCommand = (state) => {
  const { from, to, empty } = state.selection.main;
  const step = getIndentStep(state);
  const changes = listSelectedLines(state, from, to)
    .filter(({ text }) => text !== '' || empty)
    .map(({ from, text }) => ({ from, insert: step === '\t' ? step : createNestingSpaces(text) || step }));
  const set = state.changes(changes);
  return { changes: set, selection: state.selection.map(set, 1), userEvent: 'input.indent' };
};

/** Removes a tab, or the spaces of one level, at the start of the selected lines. */
export const outdentLines: EditCommand = (state) => {
  const { from, to } = state.selection.main;
  const changes = listSelectedLines(state, from, to).map(({ from, text }) => {
    const [removed = ''] = new RegExp(`^(?:\t| {1,${createNestingSpaces(text).length || 2}})`).exec(text) ?? [];
    return { from, to: from + removed.length };
  });
  return { changes, userEvent: 'delete.dedent' };
};

/** Without the last line if the selection ends at its start. */
function listSelectedLines({ doc }: EditorState, from: number, to: number) {
  const end = to > from && doc.lineAt(to).from === to ? to - 1 : to;
  const lines: { readonly from: number; readonly text: string }[] = [];
  for (let at = from; at <= end; ) {
    const line = doc.lineAt(at);
    lines.push(line);
    at = line.to + 1;
  }
  return lines;
}

/** Begins the next item of a list, or ends the list at an empty item. */
export const continueList: EditCommand = (state) => {
  const { from, empty } = state.selection.main;
  const line = state.doc.lineAt(from);
  const [mark = '', , number, box] = listMarkPattern.exec(line.text.slice(0, from - line.from)) ?? [];
  if (mark === '' || !empty) return undefined;
  if (line.text === mark) return createReplacement(line.from, from, line.from === 0 ? '' : '\n'); // what follows is no item
  const numbered = number === undefined ? mark : mark.replace(number, String(Number(number) + 1));
  return createReplacement(from, from, `\n${box === undefined ? numbered : numbered.replace(/\[[xX]\]/, '[ ]')}`);
};

function createReplacement(from: number, to: number, insert: string): TransactionSpec {
  return {
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    scrollIntoView: true,
    userEvent: 'input',
  };
}

const closersByOpener: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };

/** Whether a line of code opens a block, whose lines are indented by one level more. */
const opensBlock = (line: string, language: string) =>
  /[{([]\s*$/.test(line) || (language === 'python' && /:\s*$/.test(line));

/** What code is indented by, as it is so far: a tab, or two or four spaces. */
function findCodeIndentStep(code: string, language: string): string {
  if (/^\t/m.test(code)) return '\t';
  if (/^ {2}\S/m.test(code)) return '  ';
  return /^ {4}/m.test(code) || language === 'python' ? '    ' : '  ';
}

/**
 * Begins a line of code at the indentation of the one before, or one level deeper in a block that this opens.
 *
 * Example: `f({|})` becomes `f({`, a line of two spaces with the caret, and `})`.
 */
export const createCodeLineBreak =
  (language: string): EditCommand =>
  (state) => {
    const { from, to } = state.selection.main;
    const line = state.doc.lineAt(from);
    const before = line.text.slice(0, from - line.from);
    const [indent = ''] = /^[ \t]*/.exec(line.text) ?? [];
    const isOpening = opensBlock(before, language);
    const inner = isOpening ? indent + findCodeIndentStep(state.doc.toString(), language) : indent;
    const [blanks = '', next] = /^([ \t]*)(.?)/.exec(state.sliceDoc(to, state.doc.lineAt(to).to))?.slice(1) ?? [];
    const isClosed = isOpening && next !== '' && next === closersByOpener[before.trimEnd().at(-1) ?? ''];
    const start = before.trim() === '' ? line.from : from; // a line of blanks becomes empty
    return {
      changes: { from: start, to: to + blanks.length, insert: `\n${inner}${isClosed ? `\n${indent}` : ''}` },
      selection: { anchor: start + 1 + inner.length },
      userEvent: 'input',
      scrollIntoView: true,
    };
  };

/** Whether the line before the caret may open a block, in a text that may not be known as code yet. */
export function mayOpenBlock({ doc, selection }: EditorState): boolean {
  const { from } = selection.main;
  return opensBlock(doc.sliceString(doc.lineAt(from).from, from), 'python');
}

/** Whether a text is one line that begins code: it takes more lines to know that a text is code. */
export const isFirstLineOfCode = ({ doc }: EditorState): boolean =>
  doc.lines === 1 && /^(?:(?:async )?def \w+\(.*\).*:|class \w+(?:\(.*\))?:|.*\S \{)$/.test(doc.line(1).text);

/** Surrounds the selection by a mark such as `**`, or removes it; at the end of what is marked, goes behind it. */
export const createMarkToggle =
  (mark: string): EditCommand =>
  (state) => {
    const { from, to, empty } = state.selection.main;
    const before = state.sliceDoc(Math.max(0, from - mark.length), from);
    const after = state.sliceDoc(to, to + mark.length);
    if (empty && after === mark && before !== mark) return { selection: { anchor: to + mark.length } };
    const isMarked = before === mark && after === mark;
    const insert = isMarked ? '' : mark;
    const width = isMarked ? mark.length : 0;
    const moved = isMarked ? -mark.length : mark.length;
    return {
      changes: [
        { from: from - width, to: from, insert },
        { from: to, to: to + width, insert },
      ],
      selection: EditorSelection.range(from + moved, to + moved),
      userEvent: 'input',
    };
  };

const blockMarks = { list: '- ', task: '- [ ] ' } as const;

/** Makes items of the selected lines, or plain lines again if all of them are. */
export const createListToggle =
  (kind: keyof typeof blockMarks): EditCommand =>
  (state) => {
    const { from, to } = state.selection.main;
    const lines = listSelectedLines(state, from, to);
    const mark = blockMarks[kind];
    const items = lines.map((line) => {
      const [indent = ''] = /^[ \t]*/.exec(line.text) ?? [];
      return { line, indent, found: listMarkPattern.exec(line.text)?.[0] ?? indent };
    });
    const isList = items.every(({ indent, found }) => found === indent + mark);
    const changes = items.map(({ line, indent, found }) => ({
      from: line.from,
      to: line.from + found.length,
      insert: isList ? indent : indent + mark,
    }));
    const set = state.changes(changes);
    return { changes: set, selection: state.selection.map(set, 1), userEvent: 'input' };
  };

/** Makes a fenced block of the selected lines, or puts the selected part of a line between backticks. */
export const insertCode: EditCommand = (state) => {
  const { from, to, empty } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
  const isWithinLine = first.number === last.number && !empty && !(from === first.from && to === last.to);
  if (isWithinLine || (empty && first.text.trim() !== '')) return createMarkToggle('`')(state);
  const text = state.sliceDoc(first.from, last.to);
  return {
    changes: { from: first.from, to: last.to, insert: `\`\`\`\n${text}\n\`\`\`` },
    selection: { anchor: first.from + 4 + text.length },
    userEvent: 'input',
  };
};

/** Makes a link of the selection: of an address its text is missing, else the address, where the caret is then. */
export const insertLink: EditCommand = (state) => {
  const { from, to } = state.selection.main;
  const chosen = state.sliceDoc(from, to);
  const isAddress = /^\w+:\/\/\S+$/.test(chosen);
  const insert = isAddress ? `[](${chosen})` : `[${chosen}]()`;
  const caret = isAddress || chosen === '' ? from + 1 : from + insert.length - 1;
  return { changes: { from, to, insert }, selection: { anchor: caret }, userEvent: 'input' };
};

/** Ticks the box of a task whose mark `[ ]` begins at an offset, or unticks it. */
export const createTaskToggle =
  (at: number): EditCommand =>
  (state) => {
    const mark = /^\[([ xX])\]$/.exec(state.sliceDoc(at, at + 3))?.[1];
    if (mark === undefined) return undefined;
    return { changes: { from: at + 1, to: at + 2, insert: mark === ' ' ? 'x' : ' ' }, userEvent: 'input' };
  };
