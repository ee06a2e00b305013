/** What the page says beside what it shows: short messages on the screen, and the same words to screen readers. */
import { signal } from '@preact/signals';

export interface Notification {
  readonly id: number;
  /** When it was said, in ms since 1970. */
  readonly at: number;
  readonly text: string;
  /** `done` and `undoable` go by themselves, `notice` and `failure` stay until they are closed. */
  readonly kind: 'done' | 'undoable' | 'notice' | 'failure';
  /** What may be done about it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** The oldest first. The last ones are on the screen; the others come up again when those are gone. */
export const notifications = signal<readonly Notification[]>([]);

/** For screen readers alone. */
export const announcement = signal('');

/** How long a message stays, in ms. */
export const lifetimeMs: Readonly<Partial<Record<Notification['kind'], number>>> = { done: 2_500, undoable: 10_000 };

/** How many are on the screen. */
export const maxShown = 3;
let lastId = 0;

/** Shows a message and has it read out; returns how to take it back. */
export function notify(text: string, options: Omit<Notification, 'id' | 'text' | 'at'>): () => void {
  const message = { id: ++lastId, at: Date.now(), text, ...options };
  const others = notifications.value.filter((other) => other.kind !== 'done' || message.kind !== 'done');
  notifications.value = [...others, message];
  return () => dismiss(message.id);
}

export function dismiss(id: number): void {
  notifications.value = notifications.value.filter((message) => message.id !== id);
}

/** Does what a message offers, which is over then. */
export function runAction({ id, action }: Notification): void {
  dismiss(id);
  action?.run();
}

/** Has a text read out; said twice, it is read twice. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}
