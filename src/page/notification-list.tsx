import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { tooltip } from './keyboard/keymap.ts';
import { dialog } from './state/dialog.ts';
import {
  announcement,
  dismiss,
  lifetimeMs,
  maxShown,
  type Notification,
  notifications,
  runAction,
} from './state/notifications.ts';
import { IconButton } from './ui/icon-button.tsx';

/** Notifications at the bottom. They stay while hovered or focused, or while a dialog covers their action. */
export const NotificationList = () => (
  <>
    <div class="messages no-print" role="log" aria-live="polite" aria-label="Messages">
      {notifications.value.slice(-maxShown).map((notification) => (
        <Shown key={notification.id} message={notification} />
      ))}
    </div>
    <p class="sr-only" role="status">
      {announcement}
    </p>
  </>
);

function Shown({ message }: { message: Notification }) {
  const { id, at, text, kind, action } = message;
  const ref = useRef<HTMLDivElement>(null);
  const isHeld = useSignal(false);
  const wasHeld = useRef(false);
  const isBehind = kind === 'undoable' && dialog.value !== undefined;
  const look = () => {
    isHeld.value = ref.current?.matches(':hover, :focus-within') === true;
  };
  useEffect(() => {
    const lifetime = lifetimeMs[kind];
    if (isHeld.value || isBehind) wasHeld.current = true;
    if (lifetime === undefined || isHeld.value || isBehind) return;
    const left = wasHeld.current ? lifetime : at + lifetime - Date.now(); // it may have been queued
    const timer = setTimeout(() => dismiss(id), left);
    return () => clearTimeout(timer);
  }, [isHeld.value, isBehind]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only holds the notification while hovered
    <div
      ref={ref}
      class={`message message-${kind}`}
      onMouseEnter={look}
      onMouseLeave={look}
      onFocusIn={look}
      onFocusOut={look}
    >
      <span class="min-w-0 flex-1 break-words" dir="auto">
        {text}
      </span>
      {action && (
        <button
          type="button"
          class="btn btn-sm touch"
          title={kind === 'undoable' ? tooltip('undo', action.label) : undefined}
          onClick={() => runAction(message)}
        >
          {action.label}
        </button>
      )}
      {kind !== 'done' && <IconButton name="close" label="Close the message" onClick={() => dismiss(id)} />}
    </div>
  );
}
