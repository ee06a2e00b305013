/** Imports notes, takes an import back, and lists what it has brought. */
import { createPortableClient } from '../../client/portable-client.ts';
import type { Note } from '../../core/note.ts';
import { maxPins } from '../../core/pins.ts';
import type { ImportReport } from '../../formats/import-report.ts';
import { ImportedPins } from '../../formats/imported-pins.ts';
import { Importer } from '../../formats/importer.ts';
import type { NoteRecord, ReadRecord } from '../../formats/record.ts';
import { clearSearchAndFilters } from '../filters/filter-actions.ts';
import { toggleArchivedAndNotify } from '../selection/selection-actions.ts';
import { clearImportedIds, importedIds } from '../state/imported-ids.ts';
import { setCursorNoteAndScroll } from '../state/navigation.ts';
import { client, handleFailureAndFormat, serviceBaseUrl, tryRefreshList } from '../state/note-requests.ts';
import { findNoteById, notes } from '../state/notes.ts';
import { makeUndoWaitFor, notify, pushUndoStepAndNotify } from '../state/notifications.ts';
import { loadAndSyncPins } from '../state/pinned-ids.ts';
import { formatLocalNoteCount } from '../ui/format-for-page.ts';
import { handleWriteFailuresAndFormat, writeNotesAndShow } from '../write-notes.ts';

const portableClient = createPortableClient(serviceBaseUrl);

/** The ids of the notes that an import has added, has replaced by a newer state, and has found there already. */
interface Imported {
  readonly added: Set<Note['id']>;
  readonly updated: Set<Note['id']>;
  /** Without those that are in the archive where they come from, too. */
  readonly unchanged: Set<Note['id']>;
  readonly pins: ImportedPins;
}

/** By what a dialog was opened with: a retry continues its import. */
const importsByRecords = new WeakMap<readonly ReadRecord[], Imported>();

/**
 * Imports the chosen ones of all records, and calls `onProgress` with the number of those that are done. Returns why it
 * ended early; a retry with the same records stores nothing twice. Empty on success.
 */
export async function importNotesAndNotify(
  all: readonly ReadRecord[],
  chosen: readonly NoteRecord[],
  onProgress: (done: number) => void,
): Promise<string> {
  const refused: string[] = [];
  const imported = importsByRecords.get(all) ?? createEmptyImported();
  importsByRecords.set(all, imported);
  const importer = new Importer(portableClient, {
    onSkipped: ({ location, reason }) => refused.push(`${location}: ${reason}`),
    onAdded: (id) => imported.added.add(id),
    onUnchanged: (id, { note }) => void (note.archived || imported.unchanged.add(id)),
    onPinned: imported.pins.rememberPin,
    onBatch: (report) => onProgress(countStored(report) + report.unchanged + report.left + report.bad),
    digest: String,
  });
  window.addEventListener('beforeunload', warnBeforeLeaving);
  try {
    await importer.importRecords(chosen);
    const { pinned, notPinned } = await imported.pins.pinNotes(portableClient);
    importer.report.pinned = pinned;
    importer.report.notPinned = notPinned;
    if (pinned > 0) void loadAndSyncPins();
    await tryRefreshList();
    notifyImported(importer.report, imported, refused);
    return '';
  } catch (error) {
    void tryRefreshList();
    const why = handleFailureAndFormat(error);
    return `${formatImportResult(importer.report, refused)}. ${why}. Try again: nothing is stored twice`;
  } finally {
    for (const id of importer.report.updatedIds) imported.updated.add(id);
    window.removeEventListener('beforeunload', warnBeforeLeaving);
  }
}

const createEmptyImported = (): Imported => ({
  added: new Set(),
  updated: new Set(),
  unchanged: new Set(),
  pins: new ImportedPins(),
});

const warnBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Offers Undo if notes were added, and Unarchive if notes are in the archive, as an import that was undone leaves them.
 * The states that Undo takes back are those of now.
 */
function notifyImported(report: ImportReport, { added, unchanged }: Imported, refused: readonly string[]): void {
  const listArchived = () => notes.value.filter(({ id, archived }) => archived && unchanged.has(id) && !added.has(id));
  const { length: archivedCount } = listArchived();
  const text = formatImportResult(report, refused, archivedCount);
  const unarchive = { label: 'Unarchive', run: () => void toggleArchivedAndNotify(listArchived()) };
  const other = archivedCount > 0 && { otherAction: unarchive };
  const isNotice = refused.length > 0 || archivedCount > 0;
  if (added.size === 0) {
    notify(text, { kind: isNotice ? 'notice' : 'done', ...other });
    return;
  }
  const addedNotes = new Map(notes.value.filter(({ id }) => added.has(id)).map((note) => [note.id, note]));
  const listAddedNotes = () => [...added].flatMap((id) => addedNotes.get(id) ?? findNoteById(id) ?? []);
  const undo = () => makeUndoWaitFor(archiveImportedAndNotify(listAddedNotes().filter(({ archived }) => !archived)));
  pushUndoStepAndNotify(text, undo, { kind: isNotice ? 'notice' : 'undoable', ...other });
}

/** Archives notes that an import has added, as nothing is deleted. A note that was changed since stays as it is. */
async function archiveImportedAndNotify(addedNotes: readonly Note[]): Promise<void> {
  clearImportedIds();
  const { changes, failures } = await writeNotesAndShow(addedNotes, (note) =>
    client.setArchived(note.id, true, [note.updatedAt]),
  );
  if (changes.length > 0) notify(formatUndoneImport(changes.length, failures.length), { kind: 'done' });
  if (failures.length > 0)
    notify(handleWriteFailuresAndFormat('archived', failures, addedNotes.length), { kind: 'failure' });
}

/** Says that an import was undone, unless some of its notes could not be archived. */
function formatUndoneImport(archivedCount: number, failedCount: number): string {
  const count = formatLocalNoteCount(archivedCount);
  if (failedCount > 0) return `Archived ${count} of the import`;
  return `Undid the import: its ${archivedCount === 1 ? 'note is' : `${count} are`} in the archive`;
}

/** Lists exactly the notes that an import has stored; if it has stored none, the list stays as it is. */
export function showOnlyImported(all: readonly ReadRecord[]): void {
  const { added, updated } = importsByRecords.get(all) ?? {};
  const ids = new Set([...(added ?? []), ...(updated ?? [])]);
  if (ids.size === 0) return;
  clearSearchAndFilters();
  setCursorNoteAndScroll(undefined);
  importedIds.value = ids;
  window.addEventListener('popstate', clearImportedIds, { once: true });
}

const countStored = ({ added, updated, retitled, versions }: ImportReport) => added + updated + retitled + versions;

function formatImportResult(report: ImportReport, refused: readonly string[], archivedCount = 0): string {
  const { updated, retitled, versions, unchanged, left, pinned, notPinned } = report;
  const parts = [
    `Imported ${formatLocalNoteCount(countStored(report))}`,
    updated > 0 && `${formatLocalNoteCount(updated)} replaced an older version`,
    retitled > 0 && `${formatLocalNoteCount(retitled)} renamed, as files are titled in another way now`,
    versions > 0 && `${formatLocalNoteCount(versions)} added to the history, as the notes here are newer`,
    unchanged > 0 && `${formatLocalNoteCount(unchanged)} already there${formatArchivedPart(archivedCount, unchanged)}`,
    pinned > 0 && `${formatLocalNoteCount(pinned)} pinned`,
    notPinned > 0 && `${formatLocalNoteCount(notPinned)} not pinned, as at most ${maxPins} can be`,
    left > 0 && `${formatLocalNoteCount(left)} not imported, as another text has the same time`,
    ...refused.slice(0, 3),
  ];
  return parts.filter(Boolean).join('; ');
}

function formatArchivedPart(archivedCount: number, count: number): string {
  if (archivedCount === 0) return '';
  return archivedCount === count ? ', in the archive' : `, ${archivedCount.toLocaleString()} of them in the archive`;
}
