import { computed, signal } from '@preact/signals';
import { colors } from '../../core/enums.ts';
import { completeFilter } from '../../core/search-line.ts';
import { setTo } from '../state/effects.ts';
import { labels } from '../state/labels.ts';
import { urlState } from '../state/navigation.ts';
import { announce } from '../state/notifications.ts';
import { flushSync, focusSearch } from '../ui/focus.ts';
import { valueName } from '../ui/format.ts';
import { Icon, Mark } from '../ui/icons.tsx';
import { type Chosen, chips, remove, takeTyped } from './change.ts';

export const Chips = () => (
  <span class="chips">
    {chips.value.map((chosen) => (
      <button
        key={nameOf(chosen)}
        type="button"
        class="chip touch"
        aria-label={`Remove the filter ${nameOf(chosen)}`}
        title={`Remove this ${chosen.value === true ? 'filter' : chosen.name} (Backspace)`}
        onClick={() => {
          takeOff(chosen);
          focusSearch();
        }}
      >
        <span class="chip-face">
          <ColorOf value={chosen.value} />
          <span class="truncate">{nameOf(chosen)}</span>
          <Icon name="close" />
        </span>
      </button>
    ))}
  </span>
);

const nameOf = ({ name, value }: Chosen) => (name === 'pinned' ? 'Pinned' : valueName(value));

const ColorOf = ({ value }: Pick<Chosen, 'value'>) =>
  colors.some((color) => color === value) && value !== true ? <Mark name={value} /> : null;

function takeOff(chosen: Chosen): void {
  remove(chosen);
  announce(`Removed the filter ${nameOf(chosen)}`);
}

export function takingOffLast({ selectionStart, selectionEnd }: HTMLInputElement): (() => void) | undefined {
  const last = chips.value.at(-1);
  return last && selectionStart === 0 && selectionEnd === 0 ? () => takeOff(last) : undefined;
}

/** Turns typed filters that end with a space into chips; an only completion is taken. Returns whether there were any. */
export function takeFinished(box: HTMLInputElement): boolean {
  const caret = box.selectionStart ?? box.value.length;
  const end = box.value.slice(0, caret).search(/\S*$/);
  const typed = box.value.slice(0, end);
  const { before = '', after, choices = [] } = completeFilter(typed.trimEnd(), labels.value) ?? {};
  const only = after === '' && choices.length === 1 ? choices[0] : undefined;
  let left: string | undefined;
  flushSync(() => {
    left = takeTyped(only ? `${before}${only.word} ` : typed, box.value.slice(end));
  });
  if (left === undefined) return false;
  box.setSelectionRange(left.length + caret - end, left.length + caret - end);
  return true;
}

const typed = computed(() => {
  const unfinished = completeFilter(urlState.value.query, labels.value);
  return unfinished?.after === '' ? unfinished : undefined;
});

const closedFor = signal<string>();
/** The index of the chosen value, and the text it was chosen for. */
const chosen = signal({ query: '', at: 0 });

const isOpen = () => typed.value !== undefined && closedFor.value !== urlState.value.query;
const chosenAt = () => (chosen.value.query === urlState.value.query ? chosen.value.at : 0);

const idOf = (value: string) => `suggestion-${value}`;

export function suggestionState() {
  const value = isOpen() ? typed.value?.choices[chosenAt()]?.value : undefined;
  if (value === undefined) return {};
  const popup = { 'aria-expanded': true, 'aria-controls': 'suggestions', 'aria-activedescendant': idOf(value) };
  return { role: 'combobox', ...popup } as const;
}

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

export function suggestionKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): (() => void) | undefined {
  if (!isOpen() || shiftKey || ctrlKey || metaKey) return undefined;
  if (key === 'ArrowDown') return () => move(1);
  if (key === 'ArrowUp') return () => move(-1);
  if (key === 'Enter' || key === 'Tab') return () => take(chosenAt());
  return key === 'Escape' ? setTo(closedFor, urlState.value.query) : undefined;
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
