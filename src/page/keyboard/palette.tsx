import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { fieldValues, groups, type ValueField, valueFields } from '../../core/enums.ts';
import type { Group } from '../../core/group-labels.ts';
import { chooseFiles } from '../drop/listen.ts';
import { changeFilters, choose, type FilterValue } from '../filters/change.ts';
import { renamed } from '../filters/places.tsx';
import { setField } from '../selection/selection.ts';
import { closeDialog, openDialog } from '../state/dialog.ts';
import { setTo } from '../state/effects.ts';
import { isBesideList, isBoard } from '../state/layout.ts';
import { urlState } from '../state/navigation.ts';
import { densities, density, theme } from '../state/settings.ts';
import { themes } from '../state/themes.ts';
import { flushSync } from '../ui/focus.ts';
import { displayTitle, valueName } from '../ui/format.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { Modal } from '../ui/modal.tsx';
import { currentNote } from '../ui/open-note.ts';
import { Keys } from './help.tsx';
import { type Command, keymap } from './keymap.ts';
import { itemOf, noteActions } from './note-actions.ts';

/** What is neither an action of a note nor replaced by other entries; keys alone make sense of moves. */
const others = (): readonly Command[] => [
  ...(isBesideList.value ? (['board'] as const) : []),
  'open',
  'clear',
  'undo',
  'select',
  'selectAll',
  ...(isBoard.value ? (['moveLeft', 'moveRight'] as const) : []),
  'help',
];

const valuesOf = (verb: string, field: ValueField, run: (value: FilterValue) => void): readonly MenuItem[] =>
  fieldValues[field].map((value, at) => ({
    name: `${verb} ${field}: ${valueName(value)}`,
    hint: keymap[field].keys[at],
    run: () => run(value),
  }));

const toggle = (name: 'archived' | 'pinned', label: string): MenuItem => ({
  name: label,
  run: () => changeFilters({ [name]: !urlState.value[name] }),
});

function rename(group: Group): void {
  renamed.value = group;
  if (!document.querySelector('.sidebar')?.checkVisibility()) openDialog({ kind: 'filters' });
}

/** Actions of the current note first, below its title; they are for the selected ones, too. */
function entries() {
  const note = currentNote();
  const all: readonly MenuItem[] = [
    ...(note ? noteActions(note) : []),
    itemOf('create'),
    { name: 'Import files', run: chooseFiles },
    toggle('archived', urlState.value.archived ? 'Hide archived' : 'Show archived'),
    toggle('pinned', urlState.value.pinned ? 'Show unpinned too' : 'Show pinned'),
    ...groups.map((group) => ({ name: `Rename group: ${valueName(group)}`, run: () => rename(group) })),
    ...themes.map((value) => ({ name: `Theme: ${value}`, run: setTo(theme, value) })),
    ...(isBesideList.value ? densities : []).map((value) => ({ name: `Rows: ${value}`, run: setTo(density, value) })),
    ...valuesOf('Show', 'category', (value) => choose('category', value)),
    ...valuesOf('Show', 'group', (value) => choose('group', value)),
    ...others().map((command) => itemOf(command)),
    ...(note ? valueFields.flatMap((field) => valuesOf('Set', field, setField(field))) : []),
  ];
  return { title: note && displayTitle(note), all };
}

/** The entries whose names contain what is typed: at word starts first, last with gaps within and between words. */
function filtered(all: readonly MenuItem[], typed: string): readonly MenuItem[] {
  const words = typed.toLowerCase().split(/\s+/);
  const letters = [...words.join('')].map((letter) => letter.replace(/\W/, '\\$&'));
  const withGaps = new RegExp(`(^|\\s)${letters.join('(\\S*?|.*?\\s)')}`);
  const rankOf = ({ name }: MenuItem) => {
    const text = name.toLowerCase();
    if (words.every((word) => ` ${text}`.includes(` ${word}`))) return 0;
    if (words.every((word) => text.includes(word))) return 1;
    return withGaps.test(text) ? 2 : 3;
  };
  return [0, 1, 2].flatMap((rank) => all.filter((entry) => rankOf(entry) === rank));
}

export function Palette() {
  const { title, all } = useMemo(entries, []);
  const typed = useSignal('');
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const found = filtered(all, typed.value);
  const chosen = found[at.value];
  useLayoutEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
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
          run(chosen);
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
          {...(chosen && { 'aria-activedescendant': idOf(chosen) })}
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
                key={idOf(entry)}
                id={idOf(entry)}
                role="option"
                tabIndex={-1}
                aria-selected={entry === chosen}
                class="command touch"
                onMouseMove={setTo(at, index)}
                onClick={() => run(entry)}
              >
                <span class="min-w-0 flex-1 truncate">{entry.name}</span>
                {entry.hint && <Keys keys={[entry.hint]} />}
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

const idOf = ({ name }: MenuItem) => `command-${name.replace(/\W+/g, '-')}`;

function run(entry: MenuItem | undefined): void {
  if (entry === undefined) return;
  flushSync(closeDialog);
  entry.run();
}
