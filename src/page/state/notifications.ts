/** Short messages on the screen, announced by screen readers, and the steps that some of them take back. */
import { signal } from '@preact/signals';

interface NotificationAction {
  readonly label: string;
  readonly run: () => void;
}

export interface PageNotification {
  readonly id: number;
  readonly at: number;
  readonly text: string;
  /** `done` and `undoable` disappear after a while, `notice` and `failure` stay until they are closed. */
  readonly kind: 'done' | 'undoable' | 'notice' | 'failure';
  readonly action?: NotificationAction;
  readonly otherAction?: NotificationAction;
  /** Runs when it is closed, also by its action. */
  readonly onClose?: () => void;
  /** Whether it is not shown now: the page says the same elsewhere, or there is nothing left for its action to do. */
  readonly isHidden?: () => boolean;
}

export const notifications = signal<readonly PageNotification[]>([]);

export const announcement = signal('');

export const notificationLifetimesMs: Readonly<Partial<Record<PageNotification['kind'], number>>> = {
  done: 2_500,
  undoable: 10_000,
};

let lastNotificationId = 0;

export function notify(text: string, options: Omit<PageNotification, 'id' | 'text' | 'at'>): () => void {
  const message = { id: ++lastNotificationId, at: Date.now(), text, ...options };
  const others = notifications.value.filter((other) => other.kind !== 'done' || message.kind !== 'done');
  notifications.value = [...others, message];
  return () => dismissNotification(message.id);
}

export function dismissNotification(id: number): void {
  notifications.value.find((message) => message.id === id)?.onClose?.();
  notifications.value = notifications.value.filter((message) => message.id !== id);
}

/** Announces a text by screen readers, also if it repeats the last one. */
export function announceToScreenReaders(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}

/** What the key undoes, the newest last. */
let undoSteps: readonly (() => void)[] = [];
const maxUndoSteps = 50;

/**
 * Shows a notification with an Undo button. Returns a function that dismisses it: there is nothing to undo any more.
 * `isHidden`: whether the step cannot be taken back now. Its key still tries to, once later steps are undone.
 */
export function pushUndoStepAndNotify(
  text: string,
  undo: () => void,
  options: Pick<PageNotification, 'isHidden' | 'otherAction'> & { readonly kind?: 'undoable' | 'notice' } = {},
): () => void {
  const forget = () => {
    undoSteps = undoSteps.filter((other) => other !== step);
    hide();
  };
  const step = () => {
    forget();
    undo();
  };
  undoSteps = [...undoSteps, step].slice(-maxUndoSteps);
  const hide = notify(text, { kind: 'undoable', ...options, action: { label: 'Undo', run: step } });
  return forget;
}

/** " · 3 more to undo", after an undone change; empty if that was the last one. */
export const formatMoreToUndoSuffix = () => (undoSteps.length === 0 ? '' : ` · ${undoSteps.length} more to undo`);

let pendingWork: Promise<unknown> = Promise.resolve();

/** Makes `undoLastStep` wait for work that ends with an undoable notification. */
export function makeUndoWaitFor(work: Promise<unknown>): void {
  pendingWork = work;
}

export async function undoLastStep(): Promise<void> {
  await pendingWork;
  const step = undoSteps.at(-1);
  if (step) step();
  else notify('Nothing to undo', { kind: 'done' });
}
