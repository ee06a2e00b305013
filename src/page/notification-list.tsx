import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { tooltip } from './keyboard/keymap.ts';
import { dialog } from './state/dialog.ts';
import { setTo } from './state/effects.ts';
import { announcement, dismiss, lifetimeMs, type Notification, notifications } from './state/notifications.ts';
import { Button, IconButton } from './ui/buttons.tsx';

/** The newest one; a button shows the others. They stay while hovered, focused, or below a dialog. */
export function NotificationList() {
  const isOpen = useSignal(false);
  const all = notifications.value.filter(({ isElsewhere }) => !isElsewhere?.());
  const others = all.length - 1;
  if (others < 1) isOpen.value = false;
  useLayoutEffect(revealFocused, [notifications.value]);
  return (
    <>
      <div
        class={`messages no-print ${isOpen.value ? 'is-open' : ''}`}
        role="log"
        aria-live="polite"
        aria-label="Messages"
      >
        {all.map((notification, index) => (
          <Shown key={notification.id} message={notification}>
            {index === others && others > 0 && !isOpen.value && (
              <Button class="btn-ghost" aria-label={`Show ${others} more`} onClick={setTo(isOpen, true)}>
                +{others}
              </Button>
            )}
          </Shown>
        ))}
      </div>
      <p class="sr-only" role="status">
        {announcement}
      </p>
    </>
  );
}

/** Scrolls the list as far as a message would cover its focused row. */
const revealFocused = () => document.querySelector('.scroller :focus')?.scrollIntoView({ block: 'nearest' });

function Shown({ message, children }: { message: Notification; children: ComponentChildren }) {
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
    const left = wasHeld.current ? lifetime : at + lifetime - Date.now();
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
      <span class="message-text" dir="auto" title={text}>
        {text}
      </span>
      {children}
      {action && (
        <Button
          class="btn-ghost"
          title={kind === 'undoable' ? tooltip('undo', action.label) : undefined}
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      {kind !== 'done' && <IconButton name="close" label="Close the message" onClick={() => dismiss(id)} />}
    </div>
  );
}
