/** Undo: notifications with an Undo button; the key undoes the last step, also when its notification has gone. */
import { notify } from '../state/notifications.ts';
import { displayTitle } from './format.ts';

/** What an undo says. `more`: what else became of the note. */
export const asItWas = (note: { readonly title: string }, more = ''): string =>
  `As it was${more}: “${displayTitle(note)}”`;

/** What the key undoes, the newest last. */
let steps: readonly (() => void)[] = [];
const maxSteps = 50;

/** Shows a notification with an Undo button. Returns a function that dismisses it: there is nothing to undo any more. */
export function notifyUndoable(text: string, undo: () => void): () => void {
  const forget = () => {
    steps = steps.filter((other) => other !== step);
    dismiss();
  };
  const step = () => {
    forget();
    undo();
  };
  steps = [...steps, step].slice(-maxSteps);
  const dismiss = notify(text, { kind: 'undoable', action: { label: 'Undo', run: step } });
  return forget;
}

let underWay: Promise<unknown> = Promise.resolve();

/** Makes `undoLast` wait for work that ends with an undoable notification. */
export function undoLater(work: Promise<unknown>): void {
  underWay = work;
}

export async function undoLast(): Promise<void> {
  await underWay;
  const step = steps.at(-1);
  if (step) step();
  else notify('Nothing to undo', { kind: 'done' });
}
