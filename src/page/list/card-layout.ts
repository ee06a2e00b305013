/**
 * Where the cards of a column of the board are: the height of a card follows from the title and the text of its note.
 */
import type { Note } from '../../core/note.ts';
import { formatNoteTitle } from '../ui/format-for-page.ts';

/** The places of the cards of a column. */
export interface CardLayout {
  /**
   * The distance of a card from the top of its column, in rem. That of the card after the last is the height of all.
   */
  getTopRem(index: number): number;
  /** The index of the card at an offset in px from the top. */
  findIndexAt(offset: number): number;
  /** The class of a card, which its style needs. */
  getClass(index: number): string;
}

/** In rem, from the style of cards: what is around a title of one line with a date, another line of it, and a text. */
const cardHeightsRem = { base: 4.125, titleLine: 1.25, text: 1.125 };

/** In rem: what is beside the title of a card within its column. Its edge of 2 px comes on top. */
const titleMarginRem = 3.375;

/** `width`: that of the column, in px. */
export function createCardLayout(notes: readonly Note[], width: number): CardLayout {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const titleWidth = width / rem - titleMarginRem - 2 / rem;
  const cards = notes.map((note) => ({
    isShort: measureTitleWidthRem(note) < titleWidth,
    hasText: hasMoreThanTitle(note),
  }));
  const tops = [0];
  for (const { isShort, hasText } of cards) {
    const height = cardHeightsRem.base + (isShort ? 0 : cardHeightsRem.titleLine) + (hasText ? cardHeightsRem.text : 0);
    tops.push((tops.at(-1) ?? 0) + height);
  }
  return {
    getTopRem: (index) => tops[index] ?? 0,
    findIndexAt: (offset) => findLastIndexAtMost(tops, offset / rem),
    getClass: (index) => `${cards[index]?.isShort ? 'is-short' : ''} ${cards[index]?.hasText ? '' : 'is-without-text'}`,
  };
}

/** The index of the last of ascending numbers that is not above a limit, by halving. */
function findLastIndexAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

const hasMoreThanTitle = ({ title, content }: Note) => content.trim() !== title.trim();

/** A title that is longer has two lines in columns of any width. */
const maxMeasuredLength = 200;

/** The size of titles in px at a rem of 16 px; widths are measured at it. */
const titleSizePx = 14;

const titleWidths = new WeakMap<Note, number>();
let canvasContext: CanvasRenderingContext2D | null | undefined;

/** The width of a title in one line, in rem. Measured once: ten thousand titles take about 20 ms. */
function measureTitleWidthRem(note: Note): number {
  const known = titleWidths.get(note);
  if (known !== undefined) return known;
  canvasContext ??= tryCreateTitleContext();
  const text = formatNoteTitle(note).slice(0, maxMeasuredLength);
  const measured = (canvasContext?.measureText(text).width ?? Number.POSITIVE_INFINITY) / 16;
  titleWidths.set(note, measured);
  return measured;
}

function tryCreateTitleContext(): CanvasRenderingContext2D | null {
  const created = document.createElement('canvas').getContext('2d');
  if (created) created.font = `500 ${titleSizePx}px ${getComputedStyle(document.body).fontFamily}`;
  return created;
}
