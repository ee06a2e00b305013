/** Undo of changes to notes. */
import { isConflict, NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { hasSameFields } from '../../core/versions.ts';
import { patchOf } from '../state/note-fields.ts';
import { client, notes } from '../state/notes.ts';
import { notify } from '../state/notifications.ts';
import { keepPosition } from '../state/order/positions.ts';
import { noteCount } from '../ui/format.ts';
import { asItWas, notifyUndoable, undoLater } from '../ui/undo.ts';
import { failuresText, type SavedChange, writeMany } from './write-many.ts';

/** Notifies of changes that Undo reverts together; calls `then` after the undo. */
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
    ? client.update(now.id, patchOf(before, now), [now.updatedAt])
    : client.setArchived(now.id, before.archived, [now.updatedAt]);
