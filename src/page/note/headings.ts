/** Goes to the headings of the shown note, or to the turns of a chat. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { truncateToUnits } from '../ui/format-for-page.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { isFocusInNote } from '../ui/open-note.ts';
import { findScrollerOrSelf } from './note-position.ts';

/** In px. What is left above a heading or a turn that somebody goes to. */
const marginAbovePx = 8;

/** In px. A place that is so close to where one would go to is where one is. */
const samePlacePx = 16;

/** A note with fewer places is read without a menu of them. */
const minMenuPlaces = 5;

/** The turns of a chat, else the headings that are shown. */
function listPlaces(body: Element): readonly HTMLElement[] {
  const turns = [...body.querySelectorAll<HTMLElement>('.markdown > .turn')];
  return turns.length > 0 ? turns : [...body.querySelectorAll<HTMLElement>(headingSelector)];
}

const headingSelector = '.markdown :is(h1, h2, h3, h4, h5, h6):not([hidden])';

/** The places that the menu names: of a chat, what the user says. */
const listOutlineElements = (body: Element): readonly HTMLElement[] =>
  listPlaces(body).filter((place) => !place.matches('.turn:not(.is-user)'));

/** Whether a note has so many places that a menu helps. `shown`: what is drawn of the note. */
export function useHasMenuPlaces(body: RefObject<HTMLElement | null>, shown: unknown): boolean {
  const hasMenu = useSignal(false);
  useLayoutEffect(() => {
    hasMenu.value = body.current !== null && listOutlineElements(body.current).length >= minMenuPlaces;
  }, [shown]);
  return hasMenu.value;
}

/** Goes to the next heading or turn of the shown note, or the previous one. */
export function goToHeading(by: -1 | 1): void {
  const body = document.querySelector<HTMLElement>('.detail-body');
  if (!body) return;
  const places = listPlaces(body);
  const place = findPlaceBesideFocus(body, places, by) ?? findPlaceByScroll(body, places, by);
  if (place) goToPlace(body, place);
}

/** Goes on from the place that has the focus: the last ones of a note cannot be scrolled to its top. */
function findPlaceBesideFocus(body: HTMLElement, places: readonly HTMLElement[], by: -1 | 1): HTMLElement | undefined {
  const index = places.findIndex((place) => place.contains(document.activeElement));
  const current = places[index];
  if (!current) return undefined;
  const top = getTopInBody(body, current);
  const isTopInSight = top >= -samePlacePx && top < findScrollerOrSelf(body).clientHeight;
  return isTopInSight ? places[index + by] : undefined;
}

const findPlaceByScroll = (body: HTMLElement, places: readonly HTMLElement[], by: -1 | 1) =>
  by === 1
    ? places.find((place) => getTopInBody(body, place) > samePlacePx)
    : places.findLast((place) => getTopInBody(body, place) < -samePlacePx);

/** How far a place is below where it is after one has gone to it, in px. */
const getTopInBody = (body: HTMLElement, place: HTMLElement) =>
  place.getBoundingClientRect().top - findScrollerOrSelf(body).getBoundingClientRect().top - marginAbovePx;

/** Scrolls to a place. If the focus is in the note, it goes along, so that Tab goes on from there. */
function goToPlace(body: HTMLElement, place: HTMLElement): void {
  findScrollerOrSelf(body).scrollTop += getTopInBody(body, place);
  if (!isFocusInNote()) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.addEventListener('focusout', () => place.removeAttribute('tabindex'), { once: true }); // a click selects text only
}

/** The items of a menu of the places. The one that is read now is chosen. */
export function createPlaceItems(body: HTMLElement): readonly MenuItem[] {
  const places = listOutlineElements(body);
  const current = places.findLast((place) => getTopInBody(body, place) <= samePlacePx);
  const levels = places.map(getHeadingLevel);
  const topLevel = Math.min(...levels);
  return places.map((place, index) => ({
    key: index,
    name: '\u2003'.repeat((levels[index] ?? topLevel) - topLevel) + getFirstWords(place),
    isChosen: place === current,
    run: () => goToPlace(body, place),
  }));
}

/** The same places for a list of commands. */
export function createJumpItems(): readonly MenuItem[] {
  const body = document.querySelector<HTMLElement>('.detail-body');
  return body ? createPlaceItems(body).map(({ name, run }) => ({ name: `Jump to: ${name.trim()}`, run })) : [];
}

const getHeadingLevel = ({ tagName }: Element) => Number(/^H(\d)$/.exec(tagName)?.[1] ?? 1);

const maxNameLength = 60;

/** The first words of a heading, or of what is said in a turn. */
function getFirstWords(place: Element): string {
  const said = place.matches('.turn')
    ? [...place.children].filter((child) => !child.matches('.speaker, button'))
    : [place];
  const words = said
    .map(({ textContent }) => textContent)
    .join(' ')
    .trim()
    .replace(/\s+/g, ' ');
  return words.length > maxNameLength ? `${truncateToUnits(words, maxNameLength)}…` : words;
}
