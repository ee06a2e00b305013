import { fieldValues, valueFields } from '../../core/enums.ts';
import type { Note } from '../../core/note.ts';
import { formatTooltip, keymap } from '../keyboard/keymap.ts';
import { runRegisteredCommand } from '../keyboard/listen-to-keys.ts';
import { getArchiveIconAndLabel } from '../keyboard/note-action-items.ts';
import { closeDialog, openDialog } from '../state/dialog.ts';
import { listedNotes } from '../state/listed-notes.ts';
import { makeUndoWaitFor } from '../state/notifications.ts';
import { Button, IconButton, IconTextButton } from '../ui/buttons.tsx';
import { formatLocalNoteCount, formatValueLabel } from '../ui/format-for-page.ts';
import { IconOrSwatch } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { writeProgress } from '../write-notes.ts';
import { clearSelection, listSelectedNotes, selectAllListed, selectedIds } from './selection.ts';
import { setFieldAndNotify } from './selection-actions.ts';

export function SelectionBar() {
  const isArchive = listSelectedNotes()[0]?.archived === true;
  return (
    <section class="list-head no-print flex-wrap" aria-label="Selected notes">
      <IconButton
        name="close"
        label="Clear selection"
        title="Clear selection (Esc)"
        class="-ms-2"
        onClick={clearSelection}
      />
      <p class="min-w-0 flex-[1_1_3rem] truncate" id="count" role="status" tabIndex={-1}>
        {writeProgress.value
          ? `${writeProgress.value.done.toLocaleString()} of ${writeProgress.value.count.toLocaleString()} changed`
          : `${selectedIds.value.size.toLocaleString()} selected`}
      </p>
      {selectedIds.value.size < listedNotes.value.length && (
        <Button class="btn-ghost" title={formatTooltip('selectAll')} onClick={selectAllListed}>
          All
        </Button>
      )}
      <div class="note-actions">
        <IconTextButton
          name="copy"
          text="Copy"
          aria-label="Copy all"
          title={formatTooltip('copy', 'Copy all')}
          onClick={() => runRegisteredCommand('copy')}
        />
        <IconTextButton
          {...getArchiveIconAndLabel(isArchive)}
          aria-label={isArchive ? 'Unarchive' : 'Archive selected'}
          title={formatTooltip('archive', isArchive ? 'Unarchive' : undefined)}
          onClick={() => runRegisteredCommand('archive')}
        />
        <IconTextButton
          name="sliders"
          text="Change"
          aria-label="Change category, group, color"
          title={`Category (${keymap.category.keys[0]} …), group (${keymap.group.keys[0]} …), color (${keymap.color.keys[0]} …)`}
          onClick={() => openDialog({ kind: 'change', notes: listSelectedNotes() })}
        />
        <IconTextButton
          name="pin"
          text="Pin"
          title={formatTooltip('pin')}
          onClick={() => runRegisteredCommand('pin')}
        />
        <IconTextButton
          name="export"
          text="Export"
          title={formatTooltip('export')}
          onClick={() => runRegisteredCommand('export')}
        />
      </div>
    </section>
  );
}

export const ChangeFieldDialog = ({ notes }: { notes: readonly Note[] }) => (
  <Modal title={`Change ${formatLocalNoteCount(notes.length)}`} closesOnBackdrop>
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
                  makeUndoWaitFor(setFieldAndNotify(notes, name, value));
                }}
              >
                <IconOrSwatch name={value} />
                {formatValueLabel(value)}
              </Button>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  </Modal>
);
