/** Goes from match to match in the text of the shown note while there are words in the search. */
import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { findBestMatchRun, listMatchRuns } from '../../core/match-runs.ts';
import type { Note } from '../../core/note.ts';
import { searchedWords } from '../state/listed-notes.ts';
import { editedNoteId } from '../state/navigation.ts';
import { noteMatchPosition } from '../state/note-match-position.ts';
import { announceToScreenReaders } from '../state/notifications.ts';
import { findHits } from '../ui/hits.tsx';
import { findScrollerOrSelf } from './note-position.ts';

/** In ms. While words are typed, the note is scrolled when they have not changed for so long. */
const typingPauseMs = 300;

let wordsChangedAt = Number.NEGATIVE_INFINITY;
effect(() => {
  if (searchedWords.value !== '') wordsChangedAt = performance.now();
});

/** What was shown last: a form that is closed shows its note again, and must not scroll it once more. */
let lastShown: Readonly<{ id: Note['id']; words: string }> | undefined;

/**
 * Scrolls a note that is shown to its best match, unless that is in sight or the note was left at another place.
 * `shown`: what is drawn of the note, undefined until it is.
 */
export function useNoteMatches(body: RefObject<HTMLElement | null>, id: Note['id'], shown: unknown): void {
  const words = searchedWords.value;
  const isShown = shown !== undefined;
  useLayoutEffect(() => {
    const { current: box } = body;
    if (!box || !isShown || words === '') {
      showPositionAndHighlightMatch(undefined);
      return;
    }
    const isOther = lastShown?.id !== id;
    const isLeftElsewhere = isOther && findScrollerOrSelf(box).scrollTop > 0;
    const show = () => {
      const isSame = lastShown?.id === id && lastShown.words === words;
      lastShown = { id, words };
      const index = isSame ? noteMatchPosition.peek()?.index : undefined;
      showMatch(box, index, { shouldScroll: !isSame && !isLeftElsewhere });
    };
    const remainingMs = wordsChangedAt + typingPauseMs - performance.now();
    if (remainingMs <= 0) return show();
    const timer = setTimeout(show, remainingMs);
    return () => clearTimeout(timer);
  }, [id, shown, words]);
  useLayoutEffect(
    () => () => {
      showPositionAndHighlightMatch(undefined);
      if (editedNoteId.peek() !== id) lastShown = undefined;
    },
    [id],
  );
}

/** Goes to the next match of the shown note, or the previous one; after the last one follows the first. */
export function goToMatch(by: -1 | 1): void {
  const box = document.querySelector<HTMLElement>('.detail-body');
  const { value: position } = noteMatchPosition;
  if (!box || !position) return;
  showMatch(box, position.index + by, { shouldScroll: true });
  const { value: now } = noteMatchPosition;
  if (now) announceToScreenReaders(`Match ${now.index + 1} of ${now.count}`);
}

/** `wanted`: the index of the match; undefined: the best one. */
function showMatch(
  box: HTMLElement,
  wanted: number | undefined,
  { shouldScroll }: { readonly shouldScroll: boolean },
): void {
  const { ranges, bestIndex } = listMatchRanges(box);
  const { length: count } = ranges;
  const index = count === 0 ? 0 : ((wanted ?? bestIndex) + count) % count;
  const range = ranges[index];
  showPositionAndHighlightMatch(range && { index, count }, range);
  if (range && shouldScroll) scrollIntoSight(range);
}

function showPositionAndHighlightMatch(position: typeof noteMatchPosition.value, range?: Range): void {
  noteMatchPosition.value = position;
  highlightCurrentMatch(range);
}

function highlightCurrentMatch(range: Range | undefined): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('current-hit');
  if (!range) return;
  const highlight = new Highlight(new StaticRange(range));
  highlight.priority = 1; // above that of all hits
  CSS.highlights.set('current-hit', highlight);
}

const maxMatches = 5_000;

/** The ranges of all matches in the visible text of a note, and which of them is the best one. */
function listMatchRanges(box: HTMLElement): { readonly ranges: readonly Range[]; readonly bestIndex: number } {
  const texts = listVisibleTexts(box);
  const matches = texts.flatMap(({ node, start }) =>
    findHits(node.data, maxMatches).map((match) => ({ start: start + match.start, end: start + match.end })),
  );
  const text = texts.map(({ node }) => node.data).join('');
  const runs = listMatchRuns(text, matches);
  const best = findBestMatchRun(text, matches);
  return { ranges: createRanges(texts, runs), bestIndex: runs.findIndex(({ start }) => start === best?.start) };
}

/** `start`: the offset in all texts, one after the other. */
type TextPart = Readonly<{ node: Text; start: number }>;

function listVisibleTexts(box: HTMLElement): readonly TextPart[] {
  const texts: TextPart[] = [];
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    const isHidden = node instanceof HTMLElement && (node.hidden || node.tagName === 'BUTTON');
    return isHidden ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  });
  let start = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    texts.push({ node, start });
    start += node.data.length;
  }
  return texts;
}

/** The matches ascend, as the texts do. */
function createRanges(
  texts: readonly TextPart[],
  matches: readonly { readonly start: number; readonly end: number }[],
): readonly Range[] {
  let at = 0;
  const advanceTo = (offset: number) => {
    while ((texts[at + 1]?.start ?? Number.POSITIVE_INFINITY) <= offset) at++;
    return texts[at];
  };
  return matches.flatMap(({ start, end }) => {
    const first = advanceTo(start);
    const last = advanceTo(end - 1);
    if (!first || !last) return [];
    const range = new Range();
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, end - last.start);
    return [range];
  });
}

/** Scrolls a match that is out of sight to a third of the height, and code or a table sideways. */
function scrollIntoSight(range: Range): void {
  const element = range.startContainer.parentElement;
  if (!element) return;
  const scroller = findScrollerOrSelf(element.closest('.detail-body') ?? element);
  const { top, bottom, height } = scroller.getBoundingClientRect();
  const rect = range.getBoundingClientRect();
  if (rect.top < top || rect.bottom > bottom) scroller.scrollTop += rect.top - top - height / 3;
  const wide = element.closest('pre, .table-scroll');
  if (!wide) return;
  const { left, right, width } = wide.getBoundingClientRect();
  if (rect.left < left || rect.right > right) wide.scrollLeft += rect.left - left - width / 3;
}
