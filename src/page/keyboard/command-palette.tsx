import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { categories, fieldValues, groups, type ValueField, valueFields } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { type FilterValue, moveTypedAndChangeFilters, toggleAsOnlyValue } from '../filters/filter-actions.ts';
import { type RenamableValue, renamedValue } from '../filters/filter-list.tsx';
import { createSortMenuItems } from '../filters/sort-menu.ts';
import { createFieldCommand, hasSelection } from '../selection/selection.ts';
import { closeDialog, openDialog } from '../state/dialog.ts';
import { isBoardShown, isPaneBesideList } from '../state/layout.ts';
import { editedNoteId, urlState } from '../state/navigation.ts';
import { densities, density, theme } from '../state/settings.ts';
import { createSetter } from '../state/signal-helpers.ts';
import { themes } from '../state/themes.ts';
import { formatNoteTitle, formatValueLabel } from '../ui/format-for-page.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { Modal } from '../ui/modal.tsx';
import { flushSync } from '../ui/move-focus.ts';
import { findCurrentNote, shownNoteId } from '../ui/open-note.ts';
import { fileItems } from './file-items.ts';
import { KeyList } from './help-dialog.tsx';
import { type Command, findMoveByKey, isTouchDevice, keymap } from './keymap.ts';
import { createCommandItem, createNoteActionItems } from './note-action-items.ts';

/** What is neither an action of a note nor replaced by other entries; keys alone make sense of moves. */
const listOtherCommands = (): readonly Command[] => [
  ...(isPaneBesideList.value ? (['board'] as const) : []),
  ...(findMarkedNote() ? (['open', 'select'] as const) : []),
  'clear',
  'undo',
  'selectAll',
  ...(isBoardShown.value ? (['moveLeft', 'moveRight'] as const) : []),
  'help',
];

const createFieldValueItems = (
  verb: string,
  field: ValueField,
  run: (value: FilterValue) => void,
): readonly MenuItem[] =>
  fieldValues[field].map((value, at) => ({
    name: `${verb} ${field}: ${formatValueLabel(value)}`,
    hint: keymap[field].keys[at],
    run: () => run(value),
  }));

const createFilterToggleItem = (name: 'archived' | 'pinned', label: string): MenuItem => ({
  name: label,
  run: () => moveTypedAndChangeFilters({ [name]: !urlState.value[name] }),
});

function beginRenamingFilter(value: RenamableValue): void {
  renamedValue.value = value;
  if (!document.querySelector('.sidebar')?.checkVisibility()) openDialog({ kind: 'filters' });
}

/** The note that commands apply to, if one sees which it is: a touch screen shows no cursor in the list. */
function findMarkedNote(): Note | undefined {
  const isMarked = hasSelection() || shownNoteId.value !== undefined || !isTouchDevice();
  return isMarked ? findCurrentNote() : undefined;
}

/** What the pane offers for the note that is shown. */
export interface ShownNoteItems {
  readonly createReadingItems: (note: Note) => readonly MenuItem[];
  readonly createJumpItems: () => readonly MenuItem[];
}

/** Actions of the current note first, below its title; they are for the selected ones, too. */
function createPaletteContent({ createReadingItems, createJumpItems }: ShownNoteItems) {
  const note = findMarkedNote();
  const isShown = note !== undefined && note.id === shownNoteId.value && editedNoteId.value === undefined;
  const all: readonly MenuItem[] = [
    ...(note ? createNoteActionItems(note) : []),
    ...(isShown ? createReadingItems(note) : []),
    createCommandItem('create'),
    ...fileItems,
    createFilterToggleItem('archived', urlState.value.archived ? 'Hide archived' : 'Show archived'),
    createFilterToggleItem('pinned', urlState.value.pinned ? 'Show unpinned too' : 'Show pinned'),
    ...themes.map((value) => ({ name: `Theme: ${value}`, run: createSetter(theme, value) })),
    ...(isPaneBesideList.value ? densities : []).map((value) => ({
      name: `Rows: ${value}`,
      run: createSetter(density, value),
    })),
    ...createSortMenuItems().map((item) => ({ ...item, name: `Sort: ${item.name}` })),
    ...createFieldValueItems('Show', 'category', (value) => toggleAsOnlyValue('category', value)),
    ...createFieldValueItems('Show', 'group', (value) => toggleAsOnlyValue('group', value)),
    ...listOtherCommands().map((command) => createCommandItem(command)),
    ...(note ? valueFields.flatMap((field) => createFieldValueItems('Set', field, createFieldCommand(field))) : []),
    ...(isShown ? createJumpItems() : []),
    ...groups.map((group) => ({
      name: `Rename group: ${formatValueLabel(group)}`,
      run: () => beginRenamingFilter(group),
    })),
    ...categories.map((one) => ({
      name: `Rename category: ${formatValueLabel(one)}`,
      run: () => beginRenamingFilter(one),
    })),
  ];
  return { title: note && formatNoteTitle(note), all: all.map((item, key) => ({ ...item, key })) };
}

/** The entries whose names contain what is typed: at word starts first, last with gaps within and between words. */
function listMatchingEntries(all: readonly MenuItem[], typed: string): readonly MenuItem[] {
  const words = typed.toLowerCase().split(/\s+/);
  const letters = [...words.join('')].map((letter) => letter.replace(/\W/, '\\$&'));
  const withGaps = new RegExp(`(^|\\s)${letters.join('(\\S*?|.*?\\s)')}`);
  const findMatchRank = ({ name }: MenuItem) => {
    const text = name.toLowerCase();
    if (words.every((word) => ` ${text}`.includes(` ${word}`))) return 0;
    if (words.every((word) => text.includes(word))) return 1;
    return withGaps.test(text) ? 2 : 3;
  };
  return [0, 1, 2].flatMap((rank) => all.filter((entry) => findMatchRank(entry) === rank));
}

export function CommandPalette({ shownNoteItems }: { shownNoteItems: ShownNoteItems }) {
  const { title, all } = useMemo(() => createPaletteContent(shownNoteItems), []);
  const typed = useSignal('');
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const found = listMatchingEntries(all, typed.value);
  const chosen = found[at.value];
  useLayoutEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const by = findMoveByKey(event);
    if (by === undefined || found.length === 0) return;
    event.preventDefault();
    at.value = (at.value + by + found.length) % found.length;
  };
  return (
    <Modal title="Commands" closesOnBackdrop hasHead={false}>
      <form
        class="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          closeAndRunEntry(chosen);
        }}
      >
        <input
          name="command"
          class="input m-3 mb-2 w-auto touch"
          role="combobox"
          aria-label="Command"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls="commands"
          {...(chosen && { 'aria-activedescendant': getEntryId(chosen) })}
          placeholder="Type a command"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={onKeyDown}
        />
        <div class="flex h-96 min-h-0 flex-col text-sm">
          <div ref={list} id="commands" role="listbox" aria-label="Commands" class="overflow-y-auto px-3 pb-3">
            {title && typed.value === '' && (
              <p class="truncate px-2.5 py-1 text-xs font-medium muted" aria-hidden="true">
                {title}
              </p>
            )}
            {found.map((entry, index) => (
              <button
                type="button"
                key={getEntryId(entry)}
                id={getEntryId(entry)}
                role="option"
                tabIndex={-1}
                aria-selected={entry === chosen}
                class="command touch"
                onMouseMove={createSetter(at, index)}
                onClick={() => closeAndRunEntry(entry)}
              >
                <span class="min-w-0 flex-1 truncate">{entry.name}</span>
                {entry.hint && <KeyList keys={[entry.hint]} />}
              </button>
            ))}
          </div>
          <p class="px-6 muted" role="status">
            {found.length === 0 && 'No matching command'}
          </p>
        </div>
      </form>
    </Modal>
  );
}

const getEntryId = ({ key }: MenuItem) => `command-${key}`;

function closeAndRunEntry(entry: MenuItem | undefined): void {
  if (entry === undefined) return;
  flushSync(closeDialog);
  entry.run();
}
