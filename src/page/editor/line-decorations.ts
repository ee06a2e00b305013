/**
 * Marks the lines of Markdown that are seen: their direction, blocks of code and front matter, headings, and boxes of
 * tasks.
 */
import { syntaxTree } from '@codemirror/language';
import { type EditorState, type Range, RangeSet } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { createTaskToggle } from './edit-commands.ts';

const proseLineDecoration = Decoration.line({ attributes: { dir: 'auto' } });
const headingLineDecoration = Decoration.line({ class: 'cm-heading' });
const taskBoxDecoration = Decoration.mark({ class: 'cm-task' });

const createCodeLineDecoration = (isFirst: boolean, isLast: boolean) =>
  Decoration.line({
    class: `cm-code-line ${isFirst ? 'cm-code-first' : ''} ${isLast ? 'cm-code-last' : ''}`,
    attributes: { dir: 'ltr', spellcheck: 'false' },
  });

type Lines = Iterable<{ readonly from: number; readonly number: number }>;

/** The lines of a part of the text, also those that are only partly in it. */
function* iterateTextLines({ doc }: EditorState, from: number, to: number): Lines {
  for (let at = from; at <= to; ) {
    const line = doc.lineAt(at);
    yield line;
    at = line.to + 1;
  }
}

/** The decorations of a part of the text that is seen. */
function createRangeDecorations(
  state: EditorState,
  seen: { readonly from: number; readonly to: number },
): Range<Decoration>[] {
  const { doc } = state;
  const found: Range<Decoration>[] = [];
  const code = new Map<number, Decoration>();
  const addCode = (from: number, to: number) => {
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    for (const line of iterateTextLines(state, Math.max(from, seen.from), Math.min(to, seen.to)))
      code.set(line.from, createCodeLineDecoration(line.number === first, line.number === last));
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

const createDecorations = ({ state, visibleRanges }: EditorView): DecorationSet =>
  RangeSet.of(
    visibleRanges.flatMap((seen) => createRangeDecorations(state, seen)),
    true,
  );

class LineDecorations {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = createDecorations(view);
  }
  update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
    const isParsedFurther = syntaxTree(startState) !== syntaxTree(state);
    if (docChanged || viewportChanged || isParsedFurther) this.decorations = createDecorations(view);
  }
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

export const lineDecorations = [
  ViewPlugin.fromClass(LineDecorations, { decorations: ({ decorations }) => decorations }),
  EditorView.perLineTextDirection.of(true),
  EditorView.domEventHandlers({ mousedown: tryToggleClickedTask }),
];
