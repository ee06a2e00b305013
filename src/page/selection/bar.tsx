import { progress } from '../changes/write-many.ts';
import { keymap, tooltip } from '../keyboard/keymap.ts';
import { openDialog } from '../state/dialog.ts';
import { results } from '../state/results.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { forSelected, selectedNotes } from './for-selected.ts';
import { endSelection, selectAll, selected } from './selection.ts';

const copyAll = forSelected((verbs, notes) => verbs.copyAll(notes));
const archiveAll = forSelected((verbs, notes) => verbs.archiveAll(notes));
const pin = forSelected((verbs, notes) => verbs.pin(notes));
const exportNotes = forSelected((verbs, notes) => verbs.exportNotes(notes));

/** Replaces the head of the list: the number of selected notes and their actions. */
export function SelectionBar() {
  const isArchive = selectedNotes()[0]?.archived === true;
  return (
    <section class="list-head no-print flex-wrap max-sm:gap-0" aria-label="Selected notes">
      <IconButton
        name="close"
        label="Clear selection"
        title="Clear selection (Esc)"
        class="-ms-2"
        onClick={endSelection}
      />
      <p class="min-w-0 flex-[1_1_3rem] truncate" id="count" role="status" tabIndex={-1}>
        {progress.value ? progressText(progress.value) : selected.value.size.toLocaleString()}
        <span class="max-sm:sr-only">{!progress.value && ' selected'}</span>
      </p>
      {selected.value.size < results.value.length && (
        <button type="button" class="btn btn-ghost btn-sm touch" title={tooltip('selectAll')} onClick={selectAll}>
          All
        </button>
      )}
      <span class="flex max-sm:grow max-sm:justify-between">
        <IconButton name="copy" label="Copy all" title={tooltip('copy', 'Copy all')} onClick={copyAll} />
        <IconButton
          name={isArchive ? 'unarchive' : 'archive'}
          label={isArchive ? 'Unarchive' : 'Archive selected'}
          title={tooltip('archive', isArchive ? 'Unarchive' : 'Archive')}
          onClick={archiveAll}
        />
        <IconButton
          name="sliders"
          label="Category, group, color"
          title={`Category (${keymap.category.keys[0]} …), group (${keymap.group.keys[0]} …), color (${keymap.color.keys[0]} …)`}
          onClick={() => openDialog({ kind: 'change', notes: selectedNotes() })}
        />
        <IconButton name="pin" label="Pin" title={tooltip('pin')} onClick={pin} />
        <IconButton name="export" label="Export" title={tooltip('export')} onClick={exportNotes} />
      </span>
    </section>
  );
}

const progressText = ({ done, count }: { readonly done: number; readonly count: number }) =>
  `${done.toLocaleString()} of ${count.toLocaleString()} changed`;
