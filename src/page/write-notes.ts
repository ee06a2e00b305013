/** Writes many notes, and takes changes back: one request for each, conditional on the version that the page knows. */
import { signal } from '@preact/signals';
import { isConflictError, NoteError } from '../core/error.ts';
import type { Note } from '../core/note.ts';
import { hasSameDraftFields } from '../core/versions.ts';
import { formatUndoneChanges } from './format-undone-changes.ts';
import {
  client,
  handleWriteFailureAndFormat,
  sendChangedFields,
  trackWrite,
  tryRefreshList,
  upsertNewerNotes,
} from './state/note-requests.ts';
import { findNoteById, notes, setFormerPosition } from './state/notes.ts';
import { formatMoreToUndoSuffix, makeUndoWaitFor, notify, pushUndoStepAndNotify } from './state/notifications.ts';
import { formatLocalNoteCount, formatNoteTitle } from './ui/format-for-page.ts';

export const notifyChangesWithUndo = (text: string, changes: readonly SavedChange[], then?: () => void) =>
  pushUndoStepAndNotify(text, () => makeUndoWaitFor(undoChanges(changes, then)), {
    isHidden: () => changes.every(isSupersededChange),
  });

/** Whether its note was changed again, or is gone, so that the change cannot be taken back. */
function isSupersededChange(change: SavedChange): boolean {
  const now = findNoteById(change.after.id);
  return now === undefined || isChangedSince(now, change);
}

/** Reverts changes and restores the positions of the notes. Skips and reports notes changed since. */
async function undoChanges(all: readonly SavedChange[], then = () => {}): Promise<void> {
  const changesById = new Map(all.map((change) => [change.before.id, change]));
  const known = new Map(notes.value.filter(({ id }) => changesById.has(id)).map((note) => [note.id, note]));
  const { changes, failures } = await writeNotesAndShow(
    all.map(({ before }) => before),
    async (before) => {
      const now = known.get(before.id);
      const change = changesById.get(before.id);
      if (!now || !change || isChangedSince(now, change)) throw new NoteError('conflict', 'it was changed again');
      const stored = await undoChange(now, change);
      setFormerPosition(stored, before);
      return stored;
    },
  );
  if (changes.length > 0) {
    const undone = changes.flatMap(({ before }) => changesById.get(before.id) ?? []);
    const text = formatUndoneChanges(undone, formatTitleOrCount(undone.map(({ before }) => before)));
    notify(text + formatHistoryHint(undone) + formatMoreToUndoSuffix(), { kind: 'done' });
  }
  then();
  if (failures.length === 0) return;
  const left = failures.flatMap(({ note, error }) => (isConflictError(error) ? [] : (changesById.get(note.id) ?? [])));
  const action = { label: 'Retry', run: () => makeUndoWaitFor(undoChanges(left, then)) };
  const text = handleWriteFailuresAndFormat('changed back', failures, all.length);
  notify(text, { kind: 'failure', ...(left.length > 0 && { action }) });
}

/** "“Tea”", or "2 notes". */
export const formatTitleOrCount = (notes: readonly Note[]): string =>
  notes.length === 1 && notes[0] ? `“${formatNoteTitle(notes[0])}”` : formatLocalNoteCount(notes.length);

function formatHistoryHint([first, ...others]: readonly SavedChange[]): string {
  const isInHistory = first && others.length === 0 && !hasSameDraftFields(first.before, first.after);
  return isInHistory ? ', the history has the other text' : '';
}

/** Whether a note differs from what was written. `archived` counts only if it was part of the change. */
const isChangedSince = (now: Note, { before, after }: SavedChange) =>
  !hasSameDraftFields(now, after) || (before.archived !== after.archived && now.archived !== after.archived);

const undoChange = (now: Note, { before, after }: SavedChange): Promise<Note> =>
  before.archived === after.archived
    ? sendChangedFields(now, before)
    : client.setArchived(now.id, before.archived, [now.updatedAt]);

/** Browsers open six connections per host; one is the event stream. */
const maxParallelWrites = 5;
/** Written notes are shown in batches at this interval, in ms. */
const showIntervalMs = 200;
const maxFailureTitles = 3;

type SavedChange = Readonly<{ before: Note; after: Note }>;
type WriteFailure = Readonly<{ note: Note; error: NoteError }>;

export const writeProgress = signal<{ readonly done: number; readonly count: number } | undefined>(undefined);

/** Writes notes in reverse, so that the first becomes the newest. Stops when the service is unreachable. */
export async function writeNotesAndShow(notes: readonly Note[], write: (note: Note) => Promise<Note>) {
  const changes: SavedChange[] = [];
  const failures: WriteFailure[] = [];
  const waiting = notes.toReversed().values();
  let arrived: Note[] = [];
  let away: NoteError | undefined;
  const showArrivedNotes = () => {
    upsertNewerNotes(arrived);
    arrived = [];
    writeProgress.value = { done: changes.length + failures.length, count: notes.length };
  };
  const writeOne = async (note: Note) => {
    try {
      if (away) throw away;
      const after = await write(note);
      changes.push({ before: note, after });
      arrived.push(after);
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      failures.push({ note, error });
      if (error.code === 'unreachable') away ??= new NoteError(error.code, error.message, { outcome: 'none' });
    }
  };
  const writeWaiting = async () => {
    for (const note of waiting) await writeOne(note);
  };
  showArrivedNotes();
  const timer = setInterval(showArrivedNotes, showIntervalMs);
  try {
    await trackWrite(Promise.all(Array.from({ length: maxParallelWrites }, writeWaiting)));
  } finally {
    clearInterval(timer);
    showArrivedNotes();
    writeProgress.value = undefined;
  }
  if (failures.length > 0) void tryRefreshList();
  return { changes, failures };
}

/** "2 of 3 notes were not archived (“A”, “B”)", and why. `what`: "archived". */
export function handleWriteFailuresAndFormat(what: string, failures: readonly WriteFailure[], count: number): string {
  const titles = failures.slice(0, maxFailureTitles).map(({ note }) => `“${formatNoteTitle(note)}”`);
  const more =
    failures.length > maxFailureTitles ? ` and ${(failures.length - maxFailureTitles).toLocaleString()} more` : '';
  const isOne = count === 1;
  const some =
    `${failures.length.toLocaleString()} of ${count.toLocaleString()} notes were not ${what} ` +
    `(${titles.join(', ')}${more})`;
  const error = failures.find(({ error }) => error.outcome === 'unknown')?.error ?? failures[0]?.error;
  const they = isOne || failures.length === 1 ? 'it was' : 'they were';
  const why = isConflictError(error) ? new NoteError('conflict', `${they} changed again`) : error;
  return handleWriteFailureAndFormat(isOne ? `${titles[0]} was not ${what}` : some, why);
}
