/** Writes many notes, and takes changes back: one request for each, conditional on the version that the page knows. */
import { signal } from '@preact/signals';
import { isConflict, NoteError } from '../core/error.ts';
import type { Note } from '../core/note.ts';
import { hasSameFields } from '../core/versions.ts';
import {
  client,
  keepPosition,
  notes,
  refresh,
  sendUpdate,
  takeNotes,
  whileWriting,
  writeFailureText,
} from './state/notes.ts';
import { notify, notifyUndoable, undoLater } from './state/notifications.ts';
import { asItWas, displayTitle, noteCount } from './ui/format.ts';

export const notifyChanged = (text: string, changes: readonly SavedChange[], then?: () => void) =>
  notifyUndoable(text, () => undoLater(takeBack(changes, then)));

/** Reverts changes and restores the positions of the notes. Skips and reports notes changed since. */
async function takeBack(all: readonly SavedChange[], then = () => {}): Promise<void> {
  const changeOf = new Map(all.map((change) => [change.before.id, change]));
  const known = new Map(notes.value.filter(({ id }) => changeOf.has(id)).map((note) => [note.id, note]));
  const { changes, failures } = await writeMany(
    all.map(({ before }) => before),
    async (before) => {
      const now = known.get(before.id);
      const change = changeOf.get(before.id);
      if (!now || !change || isChangedSince(now, change)) throw new NoteError('conflict', 'it was changed again');
      const stored = await writeBack(now, change);
      keepPosition(stored, before);
      return stored;
    },
  );
  const [first] = changes;
  if (first) notify(all.length === 1 ? textOfOne(first) : asTheyWere(changes.length), { kind: 'done' });
  then();
  if (failures.length === 0) return;
  const left = failures.flatMap(({ note, error }) => (isConflict(error) ? [] : (changeOf.get(note.id) ?? [])));
  const action = { label: 'Retry', run: () => undoLater(takeBack(left, then)) };
  const text = failuresText('changed back', failures, all.length);
  notify(text, { kind: 'failure', ...(left.length > 0 && { action }) });
}

const textOfOne = ({ before, after }: SavedChange) =>
  asItWas(before, hasSameFields(before, after) ? '' : ', the undone text is in the history');

const asTheyWere = (count: number) => `${noteCount(count)} ${count === 1 ? 'is as it was' : 'are as they were'}`;

/** Whether a note differs from what was written. `archived` counts only if it was part of the change. */
const isChangedSince = (now: Note, { before, after }: SavedChange) =>
  !hasSameFields(now, after) || (before.archived !== after.archived && now.archived !== after.archived);

const writeBack = (now: Note, { before, after }: SavedChange): Promise<Note> =>
  before.archived === after.archived
    ? sendUpdate(now, before)
    : client.setArchived(now.id, before.archived, [now.updatedAt]);

/** Browsers open six connections per host; one is the event stream. */
const atOnce = 5;
/** Written notes are shown in batches at this interval, in ms. */
const collectMs = 200;
const maxTitles = 3;

type SavedChange = Readonly<{ before: Note; after: Note }>;
type Failure = Readonly<{ note: Note; error: NoteError }>;

export const progress = signal<{ readonly done: number; readonly count: number } | undefined>(undefined);

/** Writes notes in reverse, so that the first becomes the newest. Stops when the service is unreachable. */
export async function writeMany(notes: readonly Note[], write: (note: Note) => Promise<Note>) {
  const changes: SavedChange[] = [];
  const failures: Failure[] = [];
  const waiting = notes.toReversed().values();
  let arrived: Note[] = [];
  let away: NoteError | undefined;
  const takeIn = () => {
    takeNotes(arrived);
    arrived = [];
    progress.value = { done: changes.length + failures.length, count: notes.length };
  };
  const writeNext = async () => {
    for (const note of waiting) {
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
    }
  };
  takeIn();
  const timer = setInterval(takeIn, collectMs);
  try {
    await whileWriting(Promise.all(Array.from({ length: atOnce }, writeNext)));
  } finally {
    clearInterval(timer);
    takeIn();
    progress.value = undefined;
  }
  if (failures.length > 0) void refresh();
  return { changes, failures };
}

/** "2 of 3 notes were not archived (“A”, “B”)", and why. `what`: "archived". */
export function failuresText(what: string, failures: readonly Failure[], count: number): string {
  const titles = failures.slice(0, maxTitles).map(({ note }) => `“${displayTitle(note)}”`);
  const more = failures.length > maxTitles ? ` and ${(failures.length - maxTitles).toLocaleString()} more` : '';
  const isOne = count === 1;
  const some =
    `${failures.length.toLocaleString()} of ${count.toLocaleString()} notes were not ${what} ` +
    `(${titles.join(', ')}${more})`;
  const error = failures.find(({ error }) => error.outcome === 'unknown')?.error ?? failures[0]?.error;
  const they = isOne || failures.length === 1 ? 'it was' : 'they were';
  const why = isConflict(error) ? new NoteError('conflict', `${they} changed again`) : error;
  return writeFailureText(isOne ? `${titles[0]} was not ${what}` : some, why);
}
