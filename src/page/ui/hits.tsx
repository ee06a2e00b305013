/** Highlights search hits and placeholders with the CSS Custom Highlight API, without changing the DOM. */
import { computed, effect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Match } from '../../core/folding.ts';
import { splitAtPlaceholders } from '../../core/placeholders.ts';
import { findMatchesInText, findMistypedMatchesInText, noteContainsAllQueryWords } from '../../core/search.ts';
import { listedNotes, searchedWords } from '../state/listed-notes.ts';

const highlights = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : undefined;

const maxHits = 500;
const maxSearchedText = 100_000;

/** Whether the results are near matches: even the best one lacks a word of the query. */
const areHitsMistyped = computed(() =>
  listedNotes.value.slice(0, 1).some((best) => !noteContainsAllQueryWords(best, searchedWords.value)),
);

export const findHits = (text: string, limit: number = maxHits): readonly Match[] =>
  (areHitsMistyped.value ? findMistypedMatchesInText : findMatchesInText)(text, searchedWords.value, limit);

function findBlanks(text: string): readonly Match[] {
  let end = 0;
  return splitAtPlaceholders(text).flatMap(({ text, name }) => {
    const start = end;
    end += text.length;
    return name === undefined ? [] : [{ start, end }];
  });
}

/** The content of an element with `data-hits`: its text, with the hits as `<mark>` in browsers without highlights. */
export function markHitsWithoutHighlights(text: string): ComponentChildren {
  if (highlights || searchedWords.value === '') return text;
  const parts = [];
  let end = 0;
  for (const hit of findHits(text)) {
    parts.push(text.slice(end, hit.start), <mark>{text.slice(hit.start, hit.end)}</mark>);
    end = hit.end;
  }
  return [...parts, text.slice(end)];
}

/**
 * Highlights the hits in all elements with `data-hits`, the placeholders in that of a note, and follows their changes.
 */
export function startHighlighting(root: Element): void {
  if (!highlights) return;
  let isDue = false;
  const draw = () => {
    isDue = false;
    highlights.set('blanks', new Highlight(...createHighlightRanges(root, '.detail-body [data-hits]', findBlanks)));
    highlights.set(
      'hits',
      new Highlight(...(searchedWords.value === '' ? [] : createHighlightRanges(root, '[data-hits]', findHits))),
    );
  };
  const plan = () => {
    if (!isDue) requestAnimationFrame(draw);
    isDue = true;
  };
  new MutationObserver(plan).observe(root, { childList: true, characterData: true, subtree: true });
  effect(() => {
    void [searchedWords.value, areHitsMistyped.value];
    plan();
  });
}

/** Static ranges, as every change of the document updates all live ones, even those not yet garbage-collected. */
function createHighlightRanges(
  root: Element,
  selector: string,
  find: (text: string) => readonly Match[],
): StaticRange[] {
  const ranges: StaticRange[] = [];
  for (const element of root.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && ranges.length < maxHits; node = walker.nextNode()) {
      if (node.parentElement?.className === 'line-end') continue; // stands for an end of a line of a note
      for (const { start, end } of find(node.textContent?.slice(0, maxSearchedText) ?? '')) {
        ranges.push(new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end }));
      }
    }
  }
  return ranges;
}
