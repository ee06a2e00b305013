/**
 * Marks the lines that are seen. Of Markdown: their direction, blocks of code and front matter, headings, and boxes of
 * tasks. Of code: the indentation, at which a line that is wrapped goes on.
 */
import { syntaxTree } from '@codemirror/language';
import { type EditorState, type Range, RangeSet } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { findLineIndent } from '../markdown/line-indent.ts';
import { createTaskToggle } from './edit-commands.ts';

const proseLineDecoration = Decoration.line({ attributes: { dir: 'auto' } });
const headingLineDecoration = Decoration.line({ class: 'cm-heading' });
const taskBoxDecoration = Decoration.mark({ class: 'cm-task' });

const createCodeLineDecoration = (isFirst: boolean, isLast: boolean) =>
  Decoration.line({
    class: `cm-code-line ${isFirst ? 'cm-code-first' : ''} ${isLast ? 'cm-code-last' : ''}`,
    attributes: { dir: 'ltr', spellcheck: 'false' },
  });

const longWordDecoration = Decoration.mark({ class: 'cm-long-word' });

const createIndentDecoration = (width: number) =>
  Decoration.line({ class: 'cm-indented', attributes: { style: `--indent: ${width}ch` } });

interface TextLine {
  readonly from: number;
  readonly number: number;
  readonly text: string;
}

/** The lines of a part of the text, also those that are only partly in it. */
function* iterateTextLines({ doc }: EditorState, from: number, to: number): Iterable<TextLine> {
  for (let at = from; at <= to; ) {
    const line = doc.lineAt(at);
    yield line;
    at = line.to + 1;
  }
}

type TextRange = Readonly<{ from: number; to: number }>;

function createIndentDecorations({ from, text }: TextLine): Range<Decoration>[] {
  const indent = findLineIndent(text);
  if (!indent) return [];
  const { width, textStart, longWordEnd } = indent;
  const line = createIndentDecoration(width).range(from);
  return longWordEnd > textStart ? [line, longWordDecoration.range(from + textStart, from + longWordEnd)] : [line];
}

function createCodeDecorations(state: EditorState, { from, to }: TextRange): Range<Decoration>[] {
  return [...iterateTextLines(state, from, to)].flatMap(createIndentDecorations);
}

function createMarkdownDecorations(state: EditorState, seen: TextRange): Range<Decoration>[] {
  const { doc } = state;
  const found: Range<Decoration>[] = [];
  const code = new Map<number, Decoration>();
  const addCode = (from: number, to: number) => {
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    for (const line of iterateTextLines(state, Math.max(from, seen.from), Math.min(to, seen.to))) {
      code.set(line.from, createCodeLineDecoration(line.number === first, line.number === last));
      found.push(...createIndentDecorations(line));
    }
  };
  syntaxTree(state).iterate({
    ...seen,
    enter({ name, from, to }) {
      if (name === 'FencedCode' || name === 'FrontMatter') addCode(from, to);
      else if (name === 'TaskMarker') found.push(taskBoxDecoration.range(from, to));
      else if (/^(?:ATX|Setext)Heading/.test(name)) found.push(headingLineDecoration.range(doc.lineAt(from).from));
    },
  });
  for (const { from } of iterateTextLines(state, seen.from, seen.to))
    found.push((code.get(from) ?? proseLineDecoration).range(from));
  return found;
}

/** A plugin that decorates what is seen. `create`: the decorations of a part of the text. */
function createDecorationPlugin(create: (state: EditorState, seen: TextRange) => Range<Decoration>[]) {
  const createAll = ({ state, visibleRanges }: EditorView): DecorationSet =>
    RangeSet.of(
      visibleRanges.flatMap((seen) => create(state, seen)),
      true,
    );
  class VisibleDecorations {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = createAll(view);
    }
    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
      const isParsedFurther = syntaxTree(startState) !== syntaxTree(state);
      if (docChanged || viewportChanged || isParsedFurther) this.decorations = createAll(view);
    }
  }
  return ViewPlugin.fromClass(VisibleDecorations, { decorations: ({ decorations }) => decorations });
}

/** A click ticks the box of a task, or unticks it. */
function tryToggleClickedTask(event: MouseEvent, view: EditorView): boolean {
  const { target, button } = event;
  const box = target instanceof Element && button === 0 ? target.closest('.cm-task') : null;
  const change = box && createTaskToggle(view.posAtDOM(box))(view.state);
  if (!change) return false;
  view.dispatch(change);
  return true;
}

export const markdownLineDecorations = [
  createDecorationPlugin(createMarkdownDecorations),
  EditorView.perLineTextDirection.of(true),
  EditorView.domEventHandlers({ mousedown: tryToggleClickedTask }),
];

export const codeLineDecorations = createDecorationPlugin(createCodeDecorations);
