import { colors } from '../../core/enums.ts';
import { unfinishedIn } from '../../core/query.ts';
import { labels } from '../state/labels/labels.ts';
import { announce } from '../state/notifications.ts';
import { flushSync, focusSearch } from '../ui/focus.ts';
import { valueName } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Swatch } from '../ui/swatch.tsx';
import { type Chosen, chips, remove, takeTyped } from './change.ts';

/** The active filters, each a button that removes it. */
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

function ColorOf({ value }: Pick<Chosen, 'value'>) {
  const color = colors.find((color) => color === value);
  return color ? <Swatch color={color} /> : null;
}

function takeOff(chosen: Chosen): void {
  remove(chosen);
  announce(`Removed the filter ${nameOf(chosen)}`);
}

/** The action of Backspace at the start of the text; undefined if there is no chip. */
export function takingOffLast({ selectionStart, selectionEnd }: HTMLInputElement): (() => void) | undefined {
  const last = chips.value.at(-1);
  return last && selectionStart === 0 && selectionEnd === 0 ? () => takeOff(last) : undefined;
}

/** Turns typed filters that end with a space into chips; an only completion is taken. Returns whether there were any. */
export function takeFinished(box: HTMLInputElement): boolean {
  const caret = box.selectionStart ?? box.value.length;
  const end = box.value.slice(0, caret).search(/\S*$/);
  const typed = box.value.slice(0, end);
  const { before = '', after, choices = [] } = unfinishedIn(typed.trimEnd(), labels.value) ?? {};
  const only = after === '' && choices.length === 1 ? choices[0] : undefined;
  let left: string | undefined;
  flushSync(() => {
    left = takeTyped(only ? `${before}${only.word} ` : typed, box.value.slice(end));
  });
  if (left === undefined) return false;
  box.setSelectionRange(left.length + caret - end, left.length + caret - end);
  return true;
}
