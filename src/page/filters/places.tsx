import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { categories, colors, groups } from '../../core/enums.ts';
import type { Group } from '../../core/group-labels.ts';
import { keymap } from '../keyboard/keymap.ts';
import { afterPaint, setTo } from '../state/effects.ts';
import { countOf, counts, filters, isFree, isThere, onlyPinned, results, unfilteredCounts } from '../state/results.ts';
import { flushSync } from '../ui/focus.ts';
import { valueName } from '../ui/format.ts';
import { Icon, Mark, type MarkName, Swatch } from '../ui/icons.tsx';
import { lazy } from '../ui/lazy.ts';
import { changeFilters, choose, type FilterValue, isChosen, type ListName, showAll, toggle } from './change.ts';

const shown = signal<{ readonly active: number; readonly counts: typeof counts.value } | undefined>(undefined);

/** The hits are painted first, as counting and laying out the counts would delay them. */
afterPaint(
  () => [results.value, isThere.value],
  () => {
    shown.value = isThere.value ? { active: unfilteredCounts.value.active, counts: counts.value } : undefined;
  },
);

const shownCount = (value: Parameters<typeof countOf>[0]) => shown.value && countOf(value, shown.value.counts);

/** `isAdding`: a click keeps the other chosen values, as a click with Ctrl or Shift always does. */
export function Places({ isAdding = false }: { isAdding?: boolean }) {
  const { archived } = filters.value;
  const { value: pinned } = onlyPinned;
  return (
    <nav aria-label="Filters" class="flex flex-col gap-1 overflow-y-auto p-3">
      <Place mark="list" label="All notes" count={shown.value?.active} chosen={isFree.value} choose={showAll} />
      <Place
        mark="pin"
        label="Pinned"
        count={shownCount('pinned')}
        chosen={pinned}
        choose={() => changeFilters({ pinned: !pinned, archived: false })}
      />
      <h2 class="filter-head">Category</h2>
      {categories.map((value, index) => place('category', value, { isAdding, key: keymap.category.keys[index] }))}
      <h2 class="filter-head">Group</h2>
      {groups.map((value, index) => (
        <Renamable key={value} group={value}>
          {place('group', value, { isAdding, key: keymap.group.keys[index], rename: setTo(renamed, value) })}
        </Renamable>
      ))}
      <h2 class="filter-head">Color</h2>
      <div class="flex flex-wrap ps-1.5">
        {colors.map((value) => (
          <button
            key={value}
            type="button"
            class="choice choice-color touch"
            aria-pressed={isChosen('color', value)}
            aria-label={`Color ${value} ${shownCount(value) ?? ''}`}
            title={`${value} ${shownCount(value) ?? ''}`}
            onClick={chooser('color', value, isAdding)}
          >
            <Swatch color={value} />
          </button>
        ))}
      </div>
      <hr class="my-2 border-base-300" />
      <Place
        mark="archive"
        label="Archived"
        more="notes"
        count={shownCount(true)}
        chosen={archived}
        choose={() => changeFilters({ archived: !archived, pinned: false })}
      />
    </nav>
  );
}

const fieldPart = lazy(() => import('./label-field.tsx'));

export const renamed = signal<Group | undefined>(undefined);

function Renamable({ group, children }: { group: Group; children: ComponentChildren }) {
  const button = useRef<HTMLButtonElement>(null);
  const end = (isFocused: boolean) => {
    flushSync(() => {
      renamed.value = undefined;
    });
    if (isFocused) button.current?.focus();
  };
  const part = renamed.value === group ? fieldPart() : undefined;
  if (part) return <part.LabelField group={group} end={end} />;
  return (
    <div class="renamable">
      {children}
      <button
        ref={button}
        type="button"
        class="btn btn-ghost btn-xs btn-square touch"
        aria-label={`Name the group ${valueName(group)}`}
        title={`Name the group ${group}`}
        onClick={setTo(renamed, group)}
      >
        <Icon name="edit" />
      </button>
    </div>
  );
}

type Choosing = Readonly<{ isAdding: boolean; key: string | undefined; rename?: () => void }>;

const place = (name: ListName, value: FilterValue, { isAdding, key, rename }: Choosing) => (
  <Place
    key={value}
    mark={value}
    label={valueName(value)}
    hint={`${value}; Ctrl+click to add it (${key})`}
    count={shownCount(value)}
    chosen={isChosen(name, value)}
    choose={chooser(name, value, isAdding)}
    rename={rename}
  />
);

const chooser = (name: ListName, value: FilterValue, isAdding: boolean) => (event: MouseEvent) => {
  const adds = isAdding || event.ctrlKey || event.metaKey || event.shiftKey;
  (adds ? toggle : choose)(name, value);
};

interface PlaceProps {
  readonly mark: MarkName;
  readonly label: string;
  readonly more?: string;
  readonly hint?: string;
  readonly count: number | undefined;
  readonly chosen: boolean;
  readonly choose: (event: MouseEvent) => void;
  readonly rename?: (() => void) | undefined;
}

const Place = ({ mark, label, more, hint, count, chosen, choose, rename }: PlaceProps) => (
  <button type="button" class="choice touch" aria-pressed={chosen} title={hint} onClick={choose} onDblClick={rename}>
    <Mark name={mark} />
    <span class="min-w-0 flex-1 truncate text-start">
      {label}
      {more && <span class="sr-only"> {more}</span>}
    </span>
    <span class={count === 0 ? 'sr-only' : 'text-xs muted tabular-nums'}>{count?.toLocaleString()}</span>
    {count === 0 && <span class="count-none" aria-hidden="true" />}
  </button>
);
