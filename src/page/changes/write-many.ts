/** Writes many notes with single requests, some at a time, each conditional on the version that the page knows. */
import { signal } from '@preact/signals';
import { isConflict, NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { refresh, takeNotes, whileWriting, writeFailureText } from '../state/notes.ts';
import { displayTitle } from '../ui/format.ts';

/** Browsers open six connections per host; one is the event stream. */
const atOnce = 5;
/** Written notes are shown in batches at this interval, in ms. */
const collectMs = 200;
const maxTitles = 3;

/** A note before and after it was written. */
export interface SavedChange {
  readonly before: Note;
  readonly after: Note;
}

interface Failure {
  readonly note: Note;
  readonly error: NoteError;
}

interface Written {
  readonly changes: readonly SavedChange[];
  readonly failures: readonly Failure[];
}

export const progress = signal<{ readonly done: number; readonly count: number } | undefined>(undefined);

/** Writes notes in reverse, so that the first becomes the newest. Stops when the service is unreachable. */
export async function writeMany(notes: readonly Note[], write: (note: Note) => Promise<Note>): Promise<Written> {
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
