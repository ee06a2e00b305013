import { computed, signal } from '@preact/signals';
import { unfinishedIn } from '../../core/query.ts';
import { labels } from '../state/labels/labels.ts';
import { urlState } from '../state/navigation.ts';
import { announce } from '../state/notifications.ts';
import { valueName } from '../ui/format.ts';
import { takeTyped } from './change.ts';

/** The filter being typed at the end of the search. */
const typed = computed(() => {
  const unfinished = unfinishedIn(urlState.value.query, labels.value);
  return unfinished?.after === '' ? unfinished : undefined;
});

/** The search text for which the list was closed. */
const closedFor = signal<string>();
/** The index of the chosen value, and the text it was chosen for. */
const chosen = signal({ query: '', at: 0 });

const isOpen = () => typed.value !== undefined && closedFor.value !== urlState.value.query;
const chosenAt = () => (chosen.value.query === urlState.value.query ? chosen.value.at : 0);

const idOf = (value: string) => `suggestion-${value}`;

/** What the search is to assistive technology while the list is open. */
export function suggestionState() {
  const value = isOpen() ? typed.value?.choices[chosenAt()]?.value : undefined;
  if (value === undefined) return {};
  const popup = { 'aria-expanded': true, 'aria-controls': 'suggestions', 'aria-activedescendant': idOf(value) };
  return { role: 'combobox', ...popup } as const;
}

/** Values of the filter being typed, below the caret. */
export function Suggestions() {
  const { value: unfinished } = typed;
  if (unfinished === undefined || !isOpen()) return null;
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
            id={idOf(value)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosenAt()}
            class="command touch"
            onMouseDown={(event) => event.preventDefault()} // the search keeps the focus
            onClick={() => take(index)}
          >
            {valueName(value)}
          </button>
        ))}
      </span>
    </span>
  );
}

/** What a key of the search does to the list; undefined if the key is not its own. */
export function suggestionKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): (() => void) | undefined {
  if (!isOpen() || shiftKey || ctrlKey || metaKey) return undefined;
  if (key === 'ArrowDown') return () => move(1);
  if (key === 'ArrowUp') return () => move(-1);
  if (key === 'Enter' || key === 'Tab') return () => take(chosenAt());
  if (key !== 'Escape') return undefined;
  return () => {
    closedFor.value = urlState.value.query;
  };
}

function move(by: number): void {
  const choices = typed.value?.choices ?? [];
  const at = (chosenAt() + by + choices.length) % choices.length;
  chosen.value = { query: urlState.value.query, at };
  announce(valueName(choices[at]?.value ?? ''));
}

function take(at: number): void {
  const word = typed.value?.choices[at]?.word;
  if (word !== undefined) takeTyped(`${typed.value?.before}${word} `, '');
}
