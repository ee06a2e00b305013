import { categories, groups } from '../../domain/enums.ts';
import { keymap } from '../keyboard/keymap.ts';
import { urlState } from '../state/navigation.ts';
import { countOf } from '../state/results.ts';
import type { UrlState } from '../state/url-state.ts';
import { clearFilters, toggleFilter } from './commands.ts';

/** Categories and groups to choose from, each with its number of notes and its key. */
export function Filters() {
  const { category, group } = urlState.value;
  const isFree = category === undefined && group === undefined;
  return (
    <nav aria-label="Filters" class="flex flex-col gap-1 overflow-y-auto p-3">
      <FilterButton label="All notes" count={countOf('')} chosen={isFree} keys="0" choose={clearFilters} />
      <FilterGroup name="category" values={categories} />
      <FilterGroup name="group" values={groups} />
    </nav>
  );
}

interface FilterGroupProps<Name extends 'category' | 'group'> {
  readonly name: Name;
  readonly values: readonly NonNullable<UrlState[Name]>[];
}

const FilterGroup = <Name extends 'category' | 'group'>({ name, values }: FilterGroupProps<Name>) => (
  <>
    <h2 class="filter-head capitalize">{name}</h2>
    {values.map((value, index) => (
      <FilterButton
        key={value}
        label={value}
        count={countOf(value)}
        chosen={value === urlState.value[name]}
        keys={keymap[name].keys[index]}
        choose={() => toggleFilter(name, value)}
      />
    ))}
  </>
);

interface FilterButtonProps {
  readonly label: string;
  readonly count: number | undefined;
  readonly chosen: boolean;
  readonly keys: string | undefined;
  readonly choose: () => void;
}

const FilterButton = ({ label, count, chosen, keys, choose }: FilterButtonProps) => (
  <button type="button" class="choice touch" aria-pressed={chosen} title={`${label} (${keys})`} onClick={choose}>
    <span class="min-w-0 flex-1 truncate text-start">{label}</span>
    <span class="text-xs muted tabular-nums">{count?.toLocaleString()}</span>
  </button>
);
