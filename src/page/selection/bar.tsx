import { progress } from '../changes/write-many.ts';
import { keymap, tooltip } from '../keyboard/keymap.ts';
import { archiving } from '../keyboard/note-actions.ts';
import { openDialog } from '../state/dialog.ts';
import { results } from '../state/results.ts';
import { Action } from '../ui/action.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { forSelected, selectedNotes } from './for-selected.ts';
import { endSelection, selectAll, selected } from './selection.ts';

const copyAll = forSelected((verbs, notes) => verbs.copyAll(notes));
const archiveAll = forSelected((verbs, notes) => verbs.archiveAll(notes));
const pin = forSelected((verbs, notes) => verbs.pin(notes));
const exportNotes = forSelected((verbs, notes) => verbs.downloadNotes(notes));

/** Replaces the head of the list: the number of selected notes and their actions. */
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
        {progress.value ? progressText(progress.value) : `${selected.value.size.toLocaleString()} selected`}
      </p>
      {selected.value.size < results.value.length && (
        <button type="button" class="btn btn-ghost btn-sm touch" title={tooltip('selectAll')} onClick={selectAll}>
          All
        </button>
      )}
      <div class="note-actions">
        <Action
          name="copy"
          text="Copy"
          label="Copy all"
          title={tooltip('copy', 'Copy all')}
          onClick={() => copyAll()}
        />
        <Action
          {...archiving(isArchive)}
          label={isArchive ? 'Unarchive' : 'Archive selected'}
          title={tooltip('archive', isArchive ? 'Unarchive' : undefined)}
          onClick={() => archiveAll()}
        />
        <Action
          name="sliders"
          text="Change"
          label="Change category, group, color"
          title={`Category (${keymap.category.keys[0]} …), group (${keymap.group.keys[0]} …), color (${keymap.color.keys[0]} …)`}
          onClick={() => openDialog({ kind: 'change', notes: selectedNotes() })}
        />
        <Action name="pin" text="Pin" title={tooltip('pin')} onClick={() => pin()} />
        <Action name="export" text="Export" title={tooltip('export')} onClick={() => exportNotes()} />
      </div>
    </section>
  );
}

const progressText = ({ done, count }: { readonly done: number; readonly count: number }) =>
  `${done.toLocaleString()} of ${count.toLocaleString()} changed`;
