/** Short messages on the screen, announced by screen readers. */
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

/** Shows and announces a message; returns a function that dismisses it. */
export function notify(text: string, options: Omit<Notification, 'id' | 'text' | 'at'>): () => void {
  const message = { id: ++lastId, at: Date.now(), text, ...options };
  const others = notifications.value.filter((other) => other.kind !== 'done' || message.kind !== 'done');
  notifications.value = [...others, message];
  return () => dismiss(message.id);
}

export function dismiss(id: number): void {
  notifications.value = notifications.value.filter((message) => message.id !== id);
}

export function runAction({ id, action }: Notification): void {
  dismiss(id);
  action?.run();
}

/** Announces a text by screen readers, also if it repeats the last one. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}
