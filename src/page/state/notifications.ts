/** Short messages on the screen, announced by screen readers, and the steps that some of them take back. */
import { signal } from '@preact/signals';

export interface Notification {
  readonly id: number;
  readonly at: number;
  readonly text: string;
  /** `done` and `undoable` disappear after a while, `notice` and `failure` stay until they are closed. */
  readonly kind: 'done' | 'undoable' | 'notice' | 'failure';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Whether the page says the same elsewhere now: it is not shown. */
  readonly isElsewhere?: () => boolean;
}

export const notifications = signal<readonly Notification[]>([]);

export const announcement = signal('');

export const lifetimeMs: Readonly<Partial<Record<Notification['kind'], number>>> = { done: 2_500, undoable: 10_000 };

let lastId = 0;

export function notify(text: string, options: Omit<Notification, 'id' | 'text' | 'at'>): () => void {
  const message = { id: ++lastId, at: Date.now(), text, ...options };
  const others = notifications.value.filter((other) => other.kind !== 'done' || message.kind !== 'done');
  notifications.value = [...others, message];
  return () => dismiss(message.id);
}

export function dismiss(id: number): void {
  notifications.value = notifications.value.filter((message) => message.id !== id);
}

/** Announces a text by screen readers, also if it repeats the last one. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}

/** What the key undoes, the newest last. */
let steps: readonly (() => void)[] = [];
const maxSteps = 50;

/** Shows a notification with an Undo button. Returns a function that dismisses it: there is nothing to undo any more. */
export function notifyUndoable(text: string, undo: () => void): () => void {
  const forget = () => {
    steps = steps.filter((other) => other !== step);
    hide();
  };
  const step = () => {
    forget();
    undo();
  };
  steps = [...steps, step].slice(-maxSteps);
  const hide = notify(text, { kind: 'undoable', action: { label: 'Undo', run: step } });
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
