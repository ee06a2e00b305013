import { categories, colors, fieldValues, valueFields } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { keymap } from '../keyboard/keymap.ts';
import { closeDialog } from '../state/dialog.ts';
import { noteCount, valueName } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { Swatch } from '../ui/swatch.tsx';
import { undoLater } from '../ui/undo.ts';
import { changeTo } from './verbs.ts';

/** Sets the category, group or color of the selected notes with one click. */
export const ChangeDialog = ({ notes }: { notes: readonly Note[] }) => (
  <Modal title={`Change ${noteCount(notes.length)}`} closesOnBackdrop>
    <div class="flex flex-col gap-4 overflow-y-auto px-5 py-5">
      {valueFields.map((name) => (
        <fieldset key={name}>
          <legend class="mb-1.5 text-sm font-semibold capitalize">{name}</legend>
          <div class="flex flex-wrap gap-1.5">
            {fieldValues[name].map((value, index) => (
              <button
                key={value}
                type="button"
                class="btn btn-sm touch"
                aria-pressed={notes.every((note) => note[name] === value)}
                title={`${value} (${keymap[name].keys[index]})`}
                onClick={() => {
                  closeDialog();
                  undoLater(changeTo(notes, name, value));
                }}
              >
                <Mark value={value} />
                {valueName(value)}
              </button>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  </Modal>
);

function Mark({ value }: { value: string }) {
  const color = colors.find((color) => color === value);
  if (color) return <Swatch color={color} />;
  return <Icon name={categories.find((category) => category === value) ?? 'group'} />;
}
