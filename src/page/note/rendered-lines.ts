/**
 * Finds lines of a note in its rendered HTML, and the other way round. `lines` has the line at which each element
 * begins; within an element, every line end of its text begins the next one.
 *
 * Example: in `# Tea\n\ngreen\nblack` the heading begins at line 1 and the paragraph at line 3, so that `lines` is
 * `[1, 3]`, and "black" is the second line of the second element: line 4.
 */
import { findScrollerOrSelf, type LinePosition, visibleTolerancePx } from './note-position.ts';

const lineElementSelector =
  '.markdown :is(p, h1, h2, h3:not(.speaker), h4, h5, h6, hr, li, tr, pre), .note-code, .note-text';

/** The elements that `lines` has the lines of. */
export const listLineElements = (body: Element): readonly Element[] => [...body.querySelectorAll(lineElementSelector)];

/** The beginning of a line in the window. */
type LineStart = LinePosition;

/** Finds the line that begins last above a height of the window, in px: the one under a pointer there. */
export function findLineAtHeight(
  body: HTMLElement,
  lines: readonly number[],
  height: number,
): LinePosition | undefined {
  let found: LineStart | undefined;
  for (const start of iterateLineStarts(body, lines, height)) {
    if (found && start.top > height) break;
    found = start;
  }
  return found && toLinePosition(body, found);
}

/** Finds the first line that begins in sight; a line that fills the pane begins above it. */
export function findFirstLineInSight(body: HTMLElement, lines: readonly number[]): LinePosition | undefined {
  const { top, bottom } = findScrollerOrSelf(body).getBoundingClientRect();
  let found: LineStart | undefined;
  for (const start of iterateLineStarts(body, lines, top)) {
    if (found && start.top > bottom) break;
    found = start;
    if (start.top >= top - visibleTolerancePx) break;
  }
  return found && toLinePosition(body, found);
}

const toLinePosition = (body: HTMLElement, { line, top }: LineStart): LinePosition => ({
  line,
  top: top - findScrollerOrSelf(body).getBoundingClientRect().top,
});

/** Yields the beginnings of lines, from those of the last element that begins above a height on. */
function* iterateLineStarts(body: HTMLElement, lines: readonly number[], height: number): Generator<LineStart> {
  const elements = listLineElements(body);
  const isAbove = (element: Element) => element.checkVisibility() && element.getBoundingClientRect().top <= height;
  const first = Math.max(elements.findLastIndex(isAbove), 0);
  for (const [index, element] of elements.entries()) {
    if (index < first || !element.checkVisibility()) continue;
    let line = lines[index] ?? 1;
    for (const range of iterateLineStartRanges(element)) yield { line: line++, top: range.getBoundingClientRect().top };
  }
}

/** Scrolls a line to where it shall be. */
export function scrollToLine(body: HTMLElement, lines: readonly number[], { line, top }: LinePosition): void {
  const elements = listLineElements(body);
  const isAbove = (element: Element, index: number) => (lines[index] ?? 1) <= line && element.checkVisibility();
  const index = elements.findLastIndex(isAbove);
  const element = elements[index];
  if (!element) return;
  const scroller = findScrollerOrSelf(body);
  const lineTop = getLineTop(element, line - (lines[index] ?? 1));
  scroller.scrollTop += lineTop - scroller.getBoundingClientRect().top - top;
}

/** The top of a line of an element, counted from 0, in the window; of its last line if it has fewer. */
function getLineTop(element: Element, line: number): number {
  let { top } = element.getBoundingClientRect();
  let left = line;
  for (const range of iterateLineStartRanges(element)) {
    top = range.getBoundingClientRect().top;
    if (left-- === 0) break;
  }
  return top;
}

/** Yields the first character of each line of an element's own text, up to what is another line element. */
function* iterateLineStartRanges(element: Element): Generator<Range> {
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let isLineStart = true;
  while (nodes.nextNode()) {
    const node = nodes.currentNode;
    if (node instanceof Element && node.matches(lineElementSelector)) return;
    if (node instanceof HTMLBRElement) isLineStart = true;
    if (!(node instanceof Text) || isInvisibleLineEnd(node)) continue;
    for (let index = 0; index < node.data.length; index++) {
      if (isLineStart) yield createCharacterRange(node, index);
      isLineStart = node.data[index] === '\n';
    }
  }
}

/** Whether a text is a line end of the HTML, which is not seen. */
function isInvisibleLineEnd(node: Text): boolean {
  if (node.data.trim() !== '') return false;
  const range = new Range();
  range.selectNode(node);
  return range.getClientRects().length === 0;
}

function createCharacterRange(node: Text, index: number): Range {
  const range = new Range();
  range.setStart(node, index);
  range.setEnd(node, index + 1);
  return range;
}
