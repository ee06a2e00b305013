import { categories, groups } from '../../domain/enums.ts';
import { nowhere, toggle } from '../keys/actions.ts';
import { keymap } from '../keys/keymap.ts';
import { go, place } from '../navigation.ts';
import { counts } from './found.ts';

/** Categories and groups to choose from, each with its number of notes and its key. */
export function Filters() {
  const { category, group } = place.value;
  const isFree = category === undefined && group === undefined;
  return (
    <nav aria-label="Filters" class="flex flex-col gap-1 overflow-y-auto p-3">
      <Choice label="All notes" count={counts.value.get('')} chosen={isFree} keys="0" choose={() => go(nowhere)} />
      <h2 class="filter-head">Category</h2>
      {categories.map((value, index) => (
        <Choice
          key={value}
          label={value}
          count={counts.value.get(value)}
          chosen={value === category}
          keys={keymap.category.keys[index]}
          choose={() => toggle('category', value)}
        />
      ))}
      <h2 class="filter-head">Group</h2>
      {groups.map((value, index) => (
        <Choice
          key={value}
          label={value}
          count={counts.value.get(value)}
          chosen={value === group}
          keys={keymap.group.keys[index]}
          choose={() => toggle('group', value)}
        />
      ))}
    </nav>
  );
}

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
