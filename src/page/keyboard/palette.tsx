import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { closeDialog } from '../state/dialog.ts';
import { isBesideList, isBoard } from '../state/layout.ts';
import { flushSync } from '../ui/focus.ts';
import { valueName } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import { runCommand } from './keyboard.ts';
import { type Command, commands, keymap, valuesOf } from './keymap.ts';
import { Keys } from './keys.tsx';

/** A command, or a command with one of its values. */
interface Entry {
  readonly name: string;
  readonly keys: readonly string[];
  readonly command: Command;
  readonly value?: string;
}

function isAvailable(command: Command): boolean {
  if (command === 'board') return isBesideList.value;
  return command !== 'palette' && (isBoard.value || !keymap[command].label.startsWith('Board'));
}

/** The commands available in the current state of the page. */
const entries = (): readonly Entry[] =>
  commands.filter(isAvailable).flatMap((command): readonly Entry[] => {
    const { keys, label: name } = keymap[command];
    const { [command]: values } = valuesOf;
    if (values === undefined) return [{ name, keys, command }];
    return values.map((value, at) => ({
      name: `${command.replace(/^./, (letter) => letter.toUpperCase())}: ${valueName(value)}`,
      keys: keys.slice(at, at + 1),
      command,
      value,
    }));
  });

/** Typing filters the commands by name, Enter runs the chosen one. */
export function Palette() {
  const all = useMemo(entries, []);
  const typed = useSignal('');
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const words = typed.value.toLowerCase().split(/\s+/);
  const begins = ({ name }: Entry) => words.every((word) => ` ${name.toLowerCase()}`.includes(` ${word}`));
  const holding = all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const found = [...holding.filter(begins), ...holding.filter((entry) => !begins(entry))];
  const chosen = found[at.value];
  useLayoutEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || found.length === 0) return;
    event.preventDefault();
    at.value = (at.value + by + found.length) % found.length;
  };
  return (
    <Modal title="Commands" closesOnBackdrop>
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
            {found.map((entry, index) => (
              <button
                type="button"
                key={idOf(entry)}
                id={idOf(entry)}
                role="option"
                tabIndex={-1}
                aria-selected={entry === chosen}
                class="command touch"
                onMouseMove={() => {
                  at.value = index;
                }}
                onClick={() => run(entry)}
              >
                <span class="min-w-0 flex-1 truncate">{entry.name}</span>
                <Keys keys={entry.keys} />
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

const idOf = ({ command, value = '' }: Entry) => `command-${command}${value}`;

/** Restores the focus, then runs a command. */
function run(entry: Entry | undefined): void {
  if (entry === undefined) return;
  flushSync(closeDialog);
  runCommand(entry.command, entry.value);
}
