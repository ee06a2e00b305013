/** What was done and can be undone: the messages with an Undo, the last one first by its key. */
import { notifications, notify, runAction } from '../state/notifications.ts';

/** Notifies of what was done, which `undo` takes back. Returns a function that dismisses it. */
export const notifyUndoable = (text: string, undo: () => void): (() => void) =>
  notify(text, { kind: 'undoable', action: { label: 'Undo', run: undo } });

let underWay: Promise<unknown> = Promise.resolve();

/** Has undoing wait for work that will notify of what can be undone. */
export function undoLater(work: Promise<unknown>): void {
  underWay = work;
}

/** Undoes the last step whose notification is still open. */
export async function undoLast(): Promise<void> {
  await underWay;
  const last = notifications.value.findLast(({ action }) => action?.label === 'Undo');
  if (last) runAction(last);
  else notify('Nothing to undo', { kind: 'done' });
}
