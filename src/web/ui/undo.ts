/** What was done and can be undone: the messages with an Undo, the last one first by its key. */
import { NoteError } from '../../domain/error.ts';
import type { Note } from '../../domain/note.ts';
import { hasSameFields, patchOf } from '../state/note-fields.ts';
import { client, update, writeFailureText } from '../state/notes.ts';
import { notifications, notify, runAction } from '../state/notifications.ts';
import { displayTitle } from './format.ts';

/** Takes back what was done to one note. */
export interface Undo {
  readonly note: Note;
  /** Fails with `conflict` where somebody else has changed the note since. */
  readonly run: () => Promise<unknown>;
}

/** Notifies of what was done to some notes, which Undo takes back together. Returns a function that dismisses it. */
export const notifyUndoable = (text: string, undos: readonly Undo[]): (() => void) =>
  notify(text, { kind: 'undoable', action: { label: 'Undo', run: () => void takeBack(undos) } });

/** Undoes the last step whose notification is still open. */
export function undoLast(): void {
  const last = notifications.value.findLast(({ action }) => action?.label === 'Undo');
  if (last) runAction(last);
  else notify('Nothing to undo', { kind: 'done' });
}

interface Failure {
  readonly undo: Undo;
  readonly error: unknown;
}

async function takeBack(undos: readonly Undo[]): Promise<void> {
  const outcomes = await Promise.all(undos.map((undo) => undo.run().then(none, (error) => ({ undo, error }))));
  const failures = outcomes.filter((failure) => failure !== undefined);
  const [first] = failures;
  if (first) notifyFailures(first, failures, undos.length);
}

const none = (): Failure | undefined => undefined;

function notifyFailures({ undo, error }: Failure, failures: readonly Failure[], count: number): void {
  const subject = count === 1 ? `“${displayTitle(undo.note)}” was` : `${failures.length} of ${count} notes were`;
  const text = writeFailureText(`${subject} not changed back`, error);
  const left = failures.filter(({ error }) => !isConflict(error)).map(({ undo }) => undo);
  const again = { label: 'Try again', run: () => void takeBack(left) };
  notify(text, { kind: 'failure', ...(left.length > 0 && { action: again }) });
}

const isConflict = (error: unknown) => error instanceof NoteError && error.code === 'conflict';

/** Takes back a save, as long as the note still says what was saved. */
export const undoSave = (before: Note, saved: Note): Undo => ({
  note: before,
  async run() {
    const now = await client.get(before.id);
    if (!hasSameFields(now, saved)) throw new NoteError('conflict', 'it was changed again meanwhile');
    await update(before.id, patchOf(before, saved), now.updatedAt);
    notify(`“${displayTitle(before)}” is as it was. What it said meanwhile is in its history`, { kind: 'done' });
  },
});
