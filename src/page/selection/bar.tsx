import { fieldValues, valueFields } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { progress } from '../changes.ts';
import { runCommand } from '../keyboard/keyboard.ts';
import { keymap, tooltip } from '../keyboard/keymap.ts';
import { archiving } from '../keyboard/note-actions.ts';
import { closeDialog, openDialog } from '../state/dialog.ts';
import { undoLater } from '../state/notifications.ts';
import { results } from '../state/results.ts';
import { Action, Button, IconButton } from '../ui/buttons.tsx';
import { noteCount, valueName } from '../ui/format.ts';
import { Mark } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { endSelection, selectAll, selected, selectedNotes } from './selection.ts';
import { changeTo } from './verbs.ts';

export function SelectionBar() {
  const isArchive = selectedNotes()[0]?.archived === true;
  return (
    <section class="list-head no-print flex-wrap" aria-label="Selected notes">
      <IconButton
        name="close"
        label="Clear selection"
        title="Clear selection (Esc)"
        class="-ms-2"
        onClick={endSelection}
      />
      <p class="min-w-0 flex-[1_1_3rem] truncate" id="count" role="status" tabIndex={-1}>
        {progress.value
          ? `${progress.value.done.toLocaleString()} of ${progress.value.count.toLocaleString()} changed`
          : `${selected.value.size.toLocaleString()} selected`}
      </p>
      {selected.value.size < results.value.length && (
        <Button class="btn-ghost" title={tooltip('selectAll')} onClick={selectAll}>
          All
        </Button>
      )}
      <div class="note-actions">
        <Action
          name="copy"
          text="Copy"
          aria-label="Copy all"
          title={tooltip('copy', 'Copy all')}
          onClick={() => runCommand('copy')}
        />
        <Action
          {...archiving(isArchive)}
          aria-label={isArchive ? 'Unarchive' : 'Archive selected'}
          title={tooltip('archive', isArchive ? 'Unarchive' : undefined)}
          onClick={() => runCommand('archive')}
        />
        <Action
          name="sliders"
          text="Change"
          aria-label="Change category, group, color"
          title={`Category (${keymap.category.keys[0]} …), group (${keymap.group.keys[0]} …), color (${keymap.color.keys[0]} …)`}
          onClick={() => openDialog({ kind: 'change', notes: selectedNotes() })}
        />
        <Action name="pin" text="Pin" title={tooltip('pin')} onClick={() => runCommand('pin')} />
        <Action name="export" text="Export" title={tooltip('export')} onClick={() => runCommand('export')} />
      </div>
    </section>
  );
}

export const ChangeDialog = ({ notes }: { notes: readonly Note[] }) => (
  <Modal title={`Change ${noteCount(notes.length)}`} closesOnBackdrop>
    <div class="flex flex-col gap-4 overflow-y-auto px-5 py-5">
      {valueFields.map((name) => (
        <fieldset key={name}>
          <legend class="mb-1.5 text-sm font-semibold capitalize">{name}</legend>
          <div class="flex flex-wrap gap-1.5">
            {fieldValues[name].map((value, index) => (
              <Button
                key={value}
                aria-pressed={notes.every((note) => note[name] === value)}
                title={`${value} (${keymap[name].keys[index]})`}
                onClick={() => {
                  closeDialog();
                  undoLater(changeTo(notes, name, value));
                }}
              >
                <Mark name={value} />
                {valueName(value)}
              </Button>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  </Modal>
);
