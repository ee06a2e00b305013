import { categories, groups } from '../../domain/enums.ts';
import { keymap } from '../keyboard/keymap.ts';
import { place } from '../state/navigation.ts';
import { counts } from '../state/results.ts';
import type { Place } from '../state/url-state.ts';
import { clear, toggle } from './commands.ts';

/** Categories and groups to choose from, each with its number of notes and its key. */
export function Filters() {
  const { category, group } = place.value;
  const isFree = category === undefined && group === undefined;
  return (
    <nav aria-label="Filters" class="flex flex-col gap-1 overflow-y-auto p-3">
      <Choice label="All notes" count={counts.value.get('')} chosen={isFree} keys="0" choose={clear} />
      <Choices name="category" values={categories} />
      <Choices name="group" values={groups} />
    </nav>
  );
}

interface ChoicesProps<Name extends 'category' | 'group'> {
  readonly name: Name;
  readonly values: readonly NonNullable<Place[Name]>[];
}

const Choices = <Name extends 'category' | 'group'>({ name, values }: ChoicesProps<Name>) => (
  <>
    <h2 class="filter-head capitalize">{name}</h2>
    {values.map((value, index) => (
      <Choice
        key={value}
        label={value}
        count={counts.value.get(value)}
        chosen={value === place.value[name]}
        keys={keymap[name].keys[index]}
        choose={() => toggle(name, value)}
      />
    ))}
  </>
);

interface ChoiceProps {
  readonly label: string;
  readonly count: number | undefined;
  readonly chosen: boolean;
  readonly keys: string | undefined;
  readonly choose: () => void;
}

const Choice = ({ label, count = 0, chosen, keys, choose }: ChoiceProps) => (
  <button type="button" class="choice touch" aria-pressed={chosen} title={`${label} (${keys})`} onClick={choose}>
    <span class="min-w-0 flex-1 truncate text-start">{label}</span>
    <span class="text-xs muted tabular-nums">{count.toLocaleString()}</span>
  </button>
);
