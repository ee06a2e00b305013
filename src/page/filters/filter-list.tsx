import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { categories, colors, groups } from '../../core/enums.ts';
import type { Category, Group, LabelledField } from '../../core/value-labels.ts';
import { keymap } from '../keyboard/keymap.ts';
import {
  activeAndArchivedCounts,
  activeFilters,
  areFiltersClear,
  countsByValue,
  getValueCount,
  isListSearched,
  listedNotes,
  showsOnlyPinned,
  workerResults,
} from '../state/listed-notes.ts';
import { createSetter, runAfterPaint } from '../state/signal-helpers.ts';
import { formatNumber, formatValueLabel } from '../ui/format-for-page.ts';
import { Icon, IconOrSwatch, type IconOrSwatchName, Swatch } from '../ui/icons.tsx';
import { createLazyPartGetter } from '../ui/lazy-parts.ts';
import { flushSync } from '../ui/move-focus.ts';
import {
  clearFiltersExceptWords,
  type FilterValue,
  isFilterValueChosen,
  type ListFilterName,
  moveTypedAndChangeFilters,
  toggleAsOnlyValue,
  toggleFilterValue,
} from './filter-actions.ts';

const shownCounts = signal<{ readonly active: number; readonly counts: typeof countsByValue.value } | undefined>(
  undefined,
);

/** The hits are painted first, as counting and laying out the counts would delay them. */
runAfterPaint(
  () => [listedNotes.value, isListSearched.value],
  () => {
    shownCounts.value = isListSearched.value
      ? { active: activeAndArchivedCounts.value.active, counts: countsByValue.value }
      : undefined;
  },
  () => workerResults.peek() !== undefined, // a long list: the next key would wait for its counts
);

const findShownCount = (value: Parameters<typeof getValueCount>[0]) =>
  shownCounts.value && getValueCount(value, shownCounts.value.counts);

/** `isAdding`: a click keeps the other chosen values, as a click with Ctrl or Shift always does. */
export function FilterList({ isAdding = false }: { isAdding?: boolean }) {
  const { archived } = activeFilters.value;
  const { value: pinned } = showsOnlyPinned;
  return (
    <nav aria-label="Filters" class="flex flex-col gap-1 overflow-y-auto p-3">
      <FilterChoice
        icon="list"
        label="All notes"
        count={shownCounts.value?.active}
        isPressed={areFiltersClear.value}
        onChoose={clearFiltersExceptWords}
      />
      <FilterChoice
        icon="pin"
        label="Pinned"
        count={findShownCount('pinned')}
        isPressed={pinned}
        onChoose={() => moveTypedAndChangeFilters({ pinned: !pinned, archived: false })}
      />
      <h2 class="filter-head">Category</h2>
      {categories.map((value, index) =>
        renderRenamableFilter('category', value, isAdding, keymap.category.keys[index]),
      )}
      <h2 class="filter-head">Group</h2>
      {groups.map((value, index) => renderRenamableFilter('group', value, isAdding, keymap.group.keys[index]))}
      <h2 class="filter-head">Color</h2>
      <div class="flex flex-wrap ps-1.5">
        {colors.map((value) => (
          <button
            key={value}
            type="button"
            class="choice choice-color touch"
            aria-pressed={isFilterValueChosen('color', value)}
            aria-label={`Color ${value} ${findShownCount(value) ?? ''}`}
            title={`Color ${value} ${findShownCount(value) ?? ''}`}
            onClick={createChooseHandler('color', value, isAdding)}
          >
            <Swatch color={value} />
          </button>
        ))}
      </div>
      <hr class="my-2 border-base-300" />
      <FilterChoice
        icon="archive"
        label="Archived"
        more="notes"
        count={findShownCount(true)}
        isPressed={archived}
        onChoose={() => moveTypedAndChangeFilters({ archived: !archived, pinned: false })}
      />
    </nav>
  );
}

const findOrLoadLabelField = createLazyPartGetter(() => import('./label-field.tsx'));

export type RenamableValue = Category | Group;

/** What is renamed in the sidebar now. */
export const renamedValue = signal<RenamableValue | undefined>(undefined);

const renderRenamableFilter = (
  name: LabelledField,
  value: RenamableValue,
  isAdding: boolean,
  key: string | undefined,
) => (
  <RenamableFilter key={value} name={name} value={value}>
    <FilterChoice
      icon={value}
      label={formatValueLabel(value)}
      hint={`${value}; hold Shift to add it (${key})`}
      count={findShownCount(value)}
      isPressed={isFilterValueChosen(name, value)}
      onChoose={createChooseHandler(name, value, isAdding)}
      onRename={createSetter(renamedValue, value)}
    />
  </RenamableFilter>
);

function RenamableFilter({
  name,
  value,
  children,
}: {
  name: LabelledField;
  value: RenamableValue;
  children: ComponentChildren;
}) {
  const row = useRef<HTMLDivElement>(null);
  const end = (isFocused: boolean) => {
    flushSync(() => {
      renamedValue.value = undefined;
    });
    if (isFocused) row.current?.querySelector('button')?.focus();
  };
  const part = renamedValue.value === value ? findOrLoadLabelField() : undefined;
  if (part) return <part.RenameField name={name} value={value} end={end} />;
  return (
    <div ref={row} class="renamable">
      {children}
      <button
        type="button"
        class="btn btn-ghost btn-xs btn-square touch"
        aria-label={`Name the ${name} ${formatValueLabel(value)}`}
        title={`Name the ${name} ${value}`}
        onClick={createSetter(renamedValue, value)}
      >
        <Icon name="edit" />
      </button>
    </div>
  );
}

const createChooseHandler = (name: ListFilterName, value: FilterValue, isAdding: boolean) => (event: MouseEvent) => {
  const adds = isAdding || event.ctrlKey || event.metaKey || event.shiftKey;
  (adds ? toggleFilterValue : toggleAsOnlyValue)(name, value);
};

interface PlaceProps {
  readonly icon: IconOrSwatchName;
  readonly label: string;
  readonly more?: string;
  readonly hint?: string;
  readonly count: number | undefined;
  readonly isPressed: boolean;
  readonly onChoose: (event: MouseEvent) => void;
  readonly onRename?: (() => void) | undefined;
}

const FilterChoice = ({
  icon: mark,
  label,
  more,
  hint,
  count,
  isPressed: chosen,
  onChoose: choose,
  onRename: rename,
}: PlaceProps) => (
  <button type="button" class="choice touch" aria-pressed={chosen} title={hint} onClick={choose} onDblClick={rename}>
    <IconOrSwatch name={mark} />
    <span class="min-w-0 flex-1 truncate text-start">
      {label}
      {more && <span class="sr-only"> {more}</span>}
    </span>
    <span class={count === 0 ? 'sr-only' : 'text-xs muted tabular-nums'}>
      {count !== undefined && formatNumber(count)}
    </span>
    {count === 0 && <span class="count-none" aria-hidden="true" />}
  </button>
);
