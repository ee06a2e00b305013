import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { createPortableClient } from '../../client/portable-client.ts';
import { findSecretKinds, findSecretKindsInNote } from '../../core/secrets.ts';
import type { ImportReport } from '../../formats/import-report.ts';
import { Importer } from '../../formats/importer.ts';
import type { NoteRecord, ReadRecord } from '../../formats/record.ts';
import { closeDialog, dialog, openDialog } from '../state/dialog.ts';
import { failureText, refresh } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { Button } from '../ui/buttons.tsx';
import { displayTitle, noteCount } from '../ui/format.ts';
import { Modal, ScrollArea } from '../ui/modal.tsx';
import { formatLocations, groupByReason, type LeftOut } from './left-out-reasons.ts';

const maxShown = 200;

const isNote = (record: ReadRecord) => record.kind === 'note';

/** The kinds of secrets that each note seems to hold. */
type Suspects = ReadonlyMap<NoteRecord, string>;

const suspectsAmong = (notes: readonly NoteRecord[]): Suspects =>
  new Map(
    notes
      .map((record) => [record, findSecretKindsInNote(record.note).join(' and ')] as const)
      .filter(([, kinds]) => kinds),
  );

/** Notes that seem to hold a secret are not ticked at first. Closing the dialog does not cancel a running import. */
export function ImportDialog({ records }: { records: readonly ReadRecord[] }) {
  const notes = useMemo(() => records.filter(isNote), [records]);
  const suspects = useMemo(() => suspectsAmong(notes), [notes]);
  const changed = useSignal<ReadonlySet<NoteRecord>>(new Set());
  const done = useSignal<number | undefined>(undefined);
  const failure = useSignal('');
  const leftOut = useMemo(() => records.filter((record) => record.kind !== 'note'), [records]);
  const isChosen = (record: NoteRecord) => suspects.has(record) === changed.value.has(record);
  const chosen = notes.filter(isChosen);
  const isImporting = done.value !== undefined;
  const change = (record: NoteRecord) => {
    const next = new Set(changed.value);
    if (!next.delete(record)) next.add(record);
    changed.value = next;
  };
  const choice = { suspects, isChosen, change };

  async function run(): Promise<void> {
    if (isImporting || chosen.length === 0) return;
    done.value = 0;
    failure.value = await importNotes(chosen, done);
    done.value = undefined;
    const { value: open } = dialog;
    const isOpen = open?.kind === 'import' && open.records === records;
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
                {noteCount(suspects.size)} may hold secrets and {suspects.size === 1 ? 'is' : 'are'} left out, unless
                ticked
              </h3>
              <Found notes={[...suspects.keys()]} {...choice} />
            </div>
          )}
          <Found notes={notes.filter((record) => !suspects.has(record))} {...choice} />
          <Reasons title="Not taken" records={leftOut.filter(({ count }) => count !== 0)} />
          <Reasons title="Parts of notes that are not taken" records={leftOut.filter(({ count }) => count === 0)} />
        </ScrollArea>
        <div class="form-foot">
          <Button type="submit" class="btn-primary" aria-disabled={isImporting || chosen.length === 0}>
            {failure.value && !isImporting ? 'Retry' : `Import ${noteCount(chosen.length)}`}
          </Button>
          <Button class="btn-ghost" onClick={closeDialog}>
            {isImporting ? 'Close' : 'Cancel'}
          </Button>
          <p class="flex-[1_1_16rem] text-sm" role="status">
            {done.value === undefined
              ? failure
              : `Importing: ${done.value.toLocaleString()} of ${noteCount(chosen.length)} …`}
          </p>
        </div>
      </form>
    </Modal>
  );
}

interface FoundProps {
  readonly notes: readonly NoteRecord[];
  readonly suspects: Suspects;
  readonly isChosen: (record: NoteRecord) => boolean;
  readonly change: (record: NoteRecord) => void;
}

function Found({ notes, suspects, isChosen, change }: FoundProps) {
  const rest = notes.length - maxShown;
  return (
    <>
      <ul>
        {notes.slice(0, maxShown).map((record) => (
          <li key={record}>
            <label class="flex items-center gap-3 px-5 py-1.5 text-sm touch">
              <input
                type="checkbox"
                class="checkbox checkbox-sm"
                checked={isChosen(record)}
                onChange={() => change(record)}
              />
              <span class="min-w-0 flex-1 truncate" dir="auto">
                {findSecretKinds(record.note.title).length === 0 ? displayTitle(record.note) : record.location}
              </span>
              <span class="muted max-w-1/2 text-end">{suspects.get(record) ?? record.note.category}</span>
            </label>
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="flex items-center gap-3 px-5 py-1.5 text-sm muted">… and {rest.toLocaleString()} more</p>}
    </>
  );
}

/** Lists why something is not imported, with the number of notes and files for each reason. */
function Reasons({ title, records }: { readonly title: string; readonly records: readonly LeftOut[] }) {
  const reasons = groupByReason(records);
  if (reasons.length === 0) return null;
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <h3 class="flex items-center gap-3 px-5 py-1.5 text-sm font-semibold">
        {title}: {all.toLocaleString()}
      </h3>
      <ul>
        {reasons.slice(0, maxShown).map((group) => (
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

const service = createPortableClient(new URL('.', document.baseURI).href);

/** Returns why it ended early; a retry with the same records stores nothing twice. Empty on success. */
async function importNotes(records: readonly NoteRecord[], done: Signal<number | undefined>): Promise<string> {
  const refused: string[] = [];
  const importer = new Importer(service, {
    onSkipped: ({ location, reason }) => refused.push(`${location}: ${reason}`),
    onBatch: (report) => {
      done.value = stored(report) + report.unchanged + report.left + report.bad;
    },
    digest: String,
  });
  window.addEventListener('beforeunload', ask);
  try {
    await importer.importRecords(records);
    notify(sentence(importer.report, refused), { kind: refused.length > 0 ? 'notice' : 'done' });
    return '';
  } catch (error) {
    const why = failureText(error);
    return `${sentence(importer.report, refused)}. ${why}. Try again: nothing is stored twice`;
  } finally {
    window.removeEventListener('beforeunload', ask);
    void refresh();
  }
}

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

const stored = ({ added, updated, retitled, versions }: ImportReport) => added + updated + retitled + versions;

function sentence(report: ImportReport, refused: readonly string[]): string {
  const { updated, retitled, versions, unchanged, left } = report;
  const parts = [
    `Imported ${noteCount(stored(report))}`,
    updated > 0 && `${noteCount(updated)} replaced an older version`,
    retitled > 0 && `${noteCount(retitled)} renamed after a file, as the name is the title now`,
    versions > 0 && `${noteCount(versions)} added to the history, as the notes here are newer`,
    unchanged > 0 && `${noteCount(unchanged)} already there`,
    left > 0 && `${noteCount(left)} not imported, as another text has the same time`,
    ...refused.slice(0, 3),
  ];
  return parts.filter(Boolean).join('; ');
}
