import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { groups } from '../../core/enums.ts';
import { findSecretKinds, findSecretKindsInNote } from '../../core/secrets.ts';
import type { Group } from '../../core/value-labels.ts';
import type { NoteRecord, ReadRecord, SkippedRecord } from '../../formats/record.ts';
import { closeDialog, dialog, openDialog } from '../state/dialog.ts';
import { notify } from '../state/notifications.ts';
import { Button } from '../ui/buttons.tsx';
import { formatLocalNoteCount, formatNoteTitle, formatValueLabel } from '../ui/format-for-page.ts';
import { Modal, ScrollArea } from '../ui/modal.tsx';
import { importNotesAndNotify, showOnlyImported } from './import-notes.ts';
import { formatLocations, groupByReason } from './left-out-reasons.ts';

const maxShownRows = 200;

const isNoteRecord = (record: ReadRecord) => record.kind === 'note';

/** The kinds of secrets that each note seems to hold. */
type SecretKindsByNote = ReadonlyMap<NoteRecord, string>;

const findSecretKindsByNote = (notes: readonly NoteRecord[]): SecretKindsByNote =>
  new Map(
    notes
      .map((record) => [record, findSecretKindsInNote(record.note).join(' and ')] as const)
      .filter(([, kinds]) => kinds),
  );

const copyWithGroup = (record: NoteRecord, group: Group): NoteRecord => ({
  ...record,
  note: { ...record.note, group },
});

/** Notes that seem to hold a secret are not ticked at first. Closing the dialog does not cancel a running import. */
export function ImportDialog({ records }: { records: readonly ReadRecord[] }) {
  const notes = useMemo(() => records.filter(isNoteRecord), [records]);
  const suspects = useMemo(() => findSecretKindsByNote(notes), [notes]);
  const changed = useSignal<ReadonlySet<NoteRecord>>(new Set());
  const done = useSignal<number | undefined>(undefined);
  const failure = useSignal('');
  const group = useSignal<Group | undefined>(undefined);
  const leftOut = useMemo(() => records.filter((record) => record.kind !== 'note'), [records]);
  const isChosen = (record: NoteRecord) => suspects.has(record) === changed.value.has(record);
  const chosen = notes.filter(isChosen);
  const isImporting = done.value !== undefined;
  const change = (record: NoteRecord) => {
    const next = new Set(changed.value);
    if (!next.delete(record)) next.add(record);
    changed.value = next;
  };
  const choice = { suspects, isChosen, onToggle: change };

  async function run(): Promise<void> {
    if (isImporting || chosen.length === 0) return;
    done.value = 0;
    const { value: into } = group;
    const own = into === undefined ? chosen : chosen.map((record) => copyWithGroup(record, into));
    failure.value = await importNotesAndNotify(records, own, (count) => {
      done.value = count;
    });
    done.value = undefined;
    const { value: open } = dialog;
    const isOpen = open?.kind === 'import' && open.records === records;
    if (!failure.value && isOpen) showOnlyImported(records);
    const again = () => openDialog({ kind: 'import', records });
    if (failure.value && !isOpen) notify(failure.value, { kind: 'failure', action: { label: 'Retry', run: again } });
    else if (!failure.value && isOpen) closeDialog();
  }

  return (
    <Modal title="Import notes">
      <form
        class="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <ScrollArea class="min-h-0 overflow-y-auto py-2" label="What was found">
          {suspects.size > 0 && (
            <div class="pb-3">
              <h3 class="flex items-center gap-3 px-5 py-1.5 text-sm font-semibold">
                {formatLocalNoteCount(suspects.size)} may hold secrets and {suspects.size === 1 ? 'is' : 'are'} left
                out, unless ticked
              </h3>
              <FoundNotes notes={[...suspects.keys()]} {...choice} />
            </div>
          )}
          <FoundNotes notes={notes.filter((record) => !suspects.has(record))} {...choice} />
          <LeftOutReasonList title="Left out" records={leftOut.filter(({ count }) => count !== 0)} />
          <LeftOutReasonList
            title="Parts of notes that are left out"
            records={leftOut.filter(({ count }) => count === 0)}
          />
        </ScrollArea>
        <label class="flex items-center gap-3 px-5 pb-2 text-sm">
          Group
          <select
            class="input w-auto max-w-64 appearance-auto touch"
            onChange={({ currentTarget }) => {
              group.value = groups.find((name) => name === currentTarget.value);
            }}
          >
            <option value="">As in the files</option>
            {groups.map((name) => (
              <option key={name} value={name}>
                {formatValueLabel(name)}
              </option>
            ))}
          </select>
        </label>
        <div class="form-foot">
          <Button type="submit" class="btn-primary" aria-disabled={isImporting || chosen.length === 0}>
            {failure.value && !isImporting ? 'Retry' : `Import ${formatLocalNoteCount(chosen.length)}`}
          </Button>
          <Button class="btn-ghost" onClick={closeDialog}>
            {isImporting ? 'Close' : 'Cancel'}
          </Button>
          <p class="flex-[1_1_16rem] text-sm" role="status">
            {done.value === undefined
              ? failure
              : `Importing: ${done.value.toLocaleString()} of ${formatLocalNoteCount(chosen.length)} …`}
          </p>
        </div>
      </form>
    </Modal>
  );
}

interface FoundProps {
  readonly notes: readonly NoteRecord[];
  readonly suspects: SecretKindsByNote;
  readonly isChosen: (record: NoteRecord) => boolean;
  readonly onToggle: (record: NoteRecord) => void;
}

function FoundNotes({ notes, suspects, isChosen, onToggle: change }: FoundProps) {
  const rest = notes.length - maxShownRows;
  return (
    <>
      <ul>
        {notes.slice(0, maxShownRows).map((record) => (
          <li key={record}>
            <label class="flex items-center gap-3 px-5 py-1.5 text-sm touch">
              <input
                type="checkbox"
                class="checkbox checkbox-sm"
                checked={isChosen(record)}
                onChange={() => change(record)}
              />
              <span class="min-w-0 flex-1 truncate" dir="auto">
                {findSecretKinds(record.note.title).length === 0 ? formatNoteTitle(record.note) : record.location}
              </span>
              <span class="muted max-w-1/2 text-end">
                {suspects.get(record) ?? formatValueLabel(record.note.category)}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="flex items-center gap-3 px-5 py-1.5 text-sm muted">… and {rest.toLocaleString()} more</p>}
    </>
  );
}

/** Lists why something is not imported, with the number of notes and files for each reason. */
function LeftOutReasonList({ title, records }: { readonly title: string; readonly records: readonly SkippedRecord[] }) {
  const reasons = groupByReason(records);
  if (reasons.length === 0) return null;
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <h3 class="flex items-center gap-3 px-5 py-1.5 text-sm font-semibold">
        {title}: {all.toLocaleString()}
      </h3>
      <ul>
        {reasons.slice(0, maxShownRows).map((group) => (
          <li key={group.reason} class="flex items-center gap-3 px-5 py-1.5 text-sm">
            <span class="min-w-0 flex-1 break-words">
              <span dir="auto">{formatLocations(group)}</span>
              <span class="muted"> {group.reason}</span>
            </span>
            {group.count > 1 && <span class="muted">{group.count.toLocaleString()}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
