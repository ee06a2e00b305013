import type { ComponentChildren } from 'preact';
import { categories, colors, groups } from '../../domain/enums.ts';
import type { Note } from '../../domain/note.ts';
import { keymap } from '../keyboard/keymap.ts';
import { closeDialog } from '../state/dialog.ts';
import { noteCount, valueName } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { Swatch } from '../ui/swatch.tsx';
import { undoLater } from '../ui/undo.ts';
import { changeTo, type Field } from './verbs.ts';

/** Sets the category, group or color of the selected notes with one click. */
export const ChangeDialog = ({ notes }: { notes: readonly Note[] }) => (
  <Modal title={`Change ${noteCount(notes.length)}`} closesOnBackdrop>
    <div class="flex flex-col gap-4 overflow-y-auto px-2 py-5">
      <Choices name="category" values={categories} notes={notes}>
        {(value) => <Icon name={value} />}
      </Choices>
      <Choices name="group" values={groups} notes={notes}>
        {() => <Icon name="group" />}
      </Choices>
      <Choices name="color" values={colors} notes={notes}>
        {(value) => <Swatch color={value} />}
      </Choices>
    </div>
  </Modal>
);

interface ChoicesProps<Value extends string> {
  readonly name: Field;
  readonly values: readonly Value[];
  readonly notes: readonly Note[];
  readonly children: (value: Value) => ComponentChildren;
}

const Choices = <Value extends string>({ name, values, notes, children: mark }: ChoicesProps<Value>) => (
  <fieldset>
    <legend class="mb-1 px-3 text-sm font-semibold capitalize">{name}</legend>
    <div class="flex flex-wrap gap-1">
      {values.map((value, index) => (
        <button
          key={value}
          type="button"
          class="choice touch"
          aria-pressed={notes.every((note) => note[name] === value)}
          title={`${value} (${keymap[name].keys[index]})`}
          onClick={() => {
            closeDialog();
            undoLater(changeTo(notes, name, value));
          }}
        >
          {mark(value)}
          {valueName(value)}
        </button>
      ))}
    </div>
  </fieldset>
);
