import { computed, signal } from '@preact/signals';
import { colors } from '../../core/enums.ts';
import { findMoveByKey } from '../keyboard/keymap.ts';
import { labels } from '../state/labels.ts';
import { urlState } from '../state/navigation.ts';
import { announceToScreenReaders } from '../state/notifications.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { findTypedFilterCompletion } from '../state/typed-state-filters.ts';
import { capitalizeFirstLetter, formatValueLabel } from '../ui/format-for-page.ts';
import { Icon, IconOrSwatch } from '../ui/icons.tsx';
import { flushSync, focusSearchOrCountOnTouch } from '../ui/move-focus.ts';
import { type ChosenFilter, chosenFilters, moveTypedFilters, removeFilter } from './filter-actions.ts';

export const FilterChips = () => (
  <span class="chips">
    {chosenFilters.value.map((chosen) => (
      <button
        key={formatFilterName(chosen)}
        type="button"
        class="chip touch"
        aria-label={`Remove the filter ${formatFilterName(chosen)}`}
        title={`Remove this ${chosen.value === true ? 'filter' : chosen.name} (Backspace)`}
        onClick={() => {
          removeAndAnnounce(chosen);
          focusSearchOrCountOnTouch();
        }}
      >
        <span class="chip-face">
          <FilterColor value={chosen.value} />
          <span class="truncate">{formatFilterName(chosen)}</span>
          <Icon name="close" />
        </span>
      </button>
    ))}
  </span>
);

/** A color, or a group that nobody has named, says nothing without its kind. */
function formatFilterName({ name, value }: ChosenFilter): string {
  if (name === 'pinned') return 'Pinned';
  const label = formatValueLabel(value);
  const needsKind = label === value && (name === 'color' || name === 'group');
  return needsKind ? `${capitalizeFirstLetter(name)}: ${label}` : label;
}

const FilterColor = ({ value }: Pick<ChosenFilter, 'value'>) =>
  colors.some((color) => color === value) && value !== true ? <IconOrSwatch name={value} /> : null;

function removeAndAnnounce(chosen: ChosenFilter): void {
  removeFilter(chosen);
  announceToScreenReaders(`Removed the filter ${formatFilterName(chosen)}`);
}

export function findRemovalOfLastFilter({ selectionStart, selectionEnd }: HTMLInputElement): (() => void) | undefined {
  const last = chosenFilters.value.at(-1);
  return last && selectionStart === 0 && selectionEnd === 0 ? () => removeAndAnnounce(last) : undefined;
}

/**
 * Turns typed filters that end with a space into chips; an only completion is taken. Returns whether there were any.
 */
export function tryMoveFinishedFilters(box: HTMLInputElement): boolean {
  const caret = box.selectionStart ?? box.value.length;
  const end = box.value.slice(0, caret).search(/\S*$/);
  const typed = box.value.slice(0, end);
  const { before = '', after, choices = [] } = findTypedFilterCompletion(typed.trimEnd(), labels.value) ?? {};
  const only = after === '' && choices.length === 1 ? choices[0] : undefined;
  let left: string | undefined;
  flushSync(() => {
    left = moveTypedFilters(only ? `${before}${only.word} ` : typed, box.value.slice(end));
  });
  if (left === undefined) return false;
  box.setSelectionRange(left.length + caret - end, left.length + caret - end);
  return true;
}

const unfinishedFilter = computed(() => {
  const unfinished = findTypedFilterCompletion(urlState.value.query, labels.value);
  return unfinished?.after === '' ? unfinished : undefined;
});

const closedForQuery = signal<string>();
/** The index of the chosen value, and the text it was chosen for. */
const chosenSuggestion = signal({ query: '', at: 0 });

const areSuggestionsOpen = () => unfinishedFilter.value !== undefined && closedForQuery.value !== urlState.value.query;
const getChosenIndex = () => (chosenSuggestion.value.query === urlState.value.query ? chosenSuggestion.value.at : 0);

const getSuggestionId = (value: string) => `suggestion-${value}`;

export function createComboboxAttributes() {
  const value = areSuggestionsOpen() ? unfinishedFilter.value?.choices[getChosenIndex()]?.value : undefined;
  if (value === undefined) return {};
  const popup = {
    'aria-expanded': true,
    'aria-controls': 'suggestions',
    'aria-activedescendant': getSuggestionId(value),
  };
  return { role: 'combobox', ...popup } as const;
}

export function Suggestions() {
  const { value: unfinished } = unfinishedFilter;
  if (unfinished === undefined || !areSuggestionsOpen()) return null;
  return (
    <span class="suggestions">
      <span class="invisible truncate" aria-hidden="true">
        {unfinished.before}
      </span>
      <span class="menu" id="suggestions" role="listbox" aria-label="Values of the filter">
        {unfinished.choices.map(({ value }, index) => (
          <button
            type="button"
            key={value}
            id={getSuggestionId(value)}
            role="option"
            tabIndex={-1}
            aria-selected={index === getChosenIndex()}
            class="command touch"
            onMouseDown={(event) => event.preventDefault()} // the search keeps the focus
            onClick={() => chooseSuggestion(index)}
          >
            {formatValueLabel(value)}
          </button>
        ))}
      </span>
    </span>
  );
}

export function findSuggestionAction(event: KeyboardEvent): (() => void) | undefined {
  const { key, shiftKey, ctrlKey, metaKey } = event;
  if (!areSuggestionsOpen() || shiftKey || metaKey) return undefined;
  const by = findMoveByKey(event);
  if (by !== undefined) return () => moveSuggestion(by);
  if (ctrlKey) return undefined;
  if (key === 'Enter' || key === 'Tab') return () => chooseSuggestion(getChosenIndex());
  return key === 'Escape' ? createSetter(closedForQuery, urlState.value.query) : undefined;
}

function moveSuggestion(by: number): void {
  const choices = unfinishedFilter.value?.choices ?? [];
  const at = (getChosenIndex() + by + choices.length) % choices.length;
  chosenSuggestion.value = { query: urlState.value.query, at };
  announceToScreenReaders(formatValueLabel(choices[at]?.value ?? ''));
}

function chooseSuggestion(at: number): void {
  const word = unfinishedFilter.value?.choices[at]?.word;
  if (word !== undefined) moveTypedFilters(`${unfinishedFilter.value?.before}${word} `, '');
}
