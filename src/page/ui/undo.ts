/** Undo: notifications with an Undo button; the key undoes the last of them. */
import { notifications, notify, runAction } from '../state/notifications.ts';
import { displayTitle } from './format.ts';

/** What an undo says. `more`: what else became of the note. */
export const asItWas = (note: { readonly title: string }, more = ''): string =>
  `As it was${more}: “${displayTitle(note)}”`;

/** Shows a notification with an Undo button. Returns a function that dismisses it. */
export const notifyUndoable = (text: string, undo: () => void): (() => void) =>
  notify(text, { kind: 'undoable', action: { label: 'Undo', run: undo } });

let underWay: Promise<unknown> = Promise.resolve();

/** Makes `undoLast` wait for work that ends with an undoable notification. */
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
