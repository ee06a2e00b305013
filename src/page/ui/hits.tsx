/** Highlights search hits and placeholders with the CSS Custom Highlight API, without changing the DOM. */
import { computed, effect } from '@preact/signals';
import type { Match } from '../../core/folding.ts';
import { splitAtPlaceholders } from '../../core/placeholders.ts';
import { findMatches, findMistypedMatches, noteContainsEveryWord } from '../../core/search.ts';
import { results, words } from '../state/results.ts';

const highlights = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : undefined;

const maxHits = 500;
const maxText = 100_000;

/** Whether the results are near matches: even the best one lacks a word of the query. */
const isNear = computed(() => results.value.slice(0, 1).some((best) => !noteContainsEveryWord(best, words.value)));

export const hitsIn = (text: string, limit: number = maxHits): readonly Match[] =>
  (isNear.value ? findMistypedMatches : findMatches)(text, words.value, limit);

function blanksIn(text: string): readonly Match[] {
  let end = 0;
  return splitAtPlaceholders(text).flatMap(({ text, name }) => {
    const start = end;
    end += text.length;
    return name === undefined ? [] : [{ start, end }];
  });
}

/** A text with its hits, as `<mark>` in browsers without highlights. */
export function Hits({ text }: { text: string }) {
  if (highlights || words.value === '') return <span data-hits>{text}</span>;
  const parts = [];
  let end = 0;
  for (const hit of hitsIn(text)) {
    parts.push(text.slice(end, hit.start), <mark>{text.slice(hit.start, hit.end)}</mark>);
    end = hit.end;
  }
  return (
    <span>
      {parts}
      {text.slice(end)}
    </span>
  );
}

/** Highlights the hits in all elements with `data-hits`, the placeholders in that of a note, and follows their changes. */
export function highlightHits(root: Element): void {
  if (!highlights) return;
  let isDue = false;
  const draw = () => {
    isDue = false;
    highlights.set('blanks', new Highlight(...rangesIn(root, '.detail-body [data-hits]', blanksIn)));
    highlights.set('hits', new Highlight(...(words.value === '' ? [] : rangesIn(root, '[data-hits]', hitsIn))));
  };
  const plan = () => {
    if (!isDue) requestAnimationFrame(draw);
    isDue = true;
  };
  new MutationObserver(plan).observe(root, { childList: true, characterData: true, subtree: true });
  effect(() => {
    void [words.value, isNear.value];
    plan();
  });
}

/** Static ranges, as every change of the document updates all live ones, even those not yet garbage-collected. */
function rangesIn(root: Element, selector: string, find: (text: string) => readonly Match[]): StaticRange[] {
  const ranges: StaticRange[] = [];
  for (const element of root.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && ranges.length < maxHits; node = walker.nextNode()) {
      for (const { start, end } of find(node.textContent?.slice(0, maxText) ?? '')) {
        ranges.push(new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end }));
      }
    }
  }
  return ranges;
}
