import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatTooltip } from './keyboard/keymap.ts';
import { dialog } from './state/dialog.ts';
import {
  announcement,
  dismissNotification,
  notificationLifetimesMs,
  notifications,
  type PageNotification,
} from './state/notifications.ts';
import { createSetter } from './state/signal-helpers.ts';
import { Button, IconButton } from './ui/buttons.tsx';

/** The newest one; a button shows the others. They stay while hovered, focused, or below a dialog. */
export function NotificationList() {
  const isOpen = useSignal(false);
  const shown = notifications.value.filter(({ isHidden }) => !isHidden?.());
  const others = shown.length - 1;
  const messageNoun = others === 1 ? 'message' : 'messages';
  const moreMessages = `Show ${others} more ${messageNoun}`;
  if (others < 1) isOpen.value = false;
  useLayoutEffect(scrollFocusedRowIntoView, [notifications.value]);
  useEffect(publishCoveringHeights, []);
  return (
    <>
      <div
        class={`messages no-print ${isOpen.value ? 'is-open' : ''}`}
        role="log"
        aria-live="polite"
        aria-label="Messages"
      >
        {notifications.value.map((notification) => (
          <NotificationView
            key={notification.id}
            message={notification}
            isShown={notification === shown.at(-1) || (isOpen.value && shown.includes(notification))}
          >
            {notification === shown.at(-1) && others > 0 && !isOpen.value && (
              <Button
                class="btn-ghost"
                aria-label={moreMessages}
                title={moreMessages}
                onClick={createSetter(isOpen, true)}
              >
                <span>
                  {others} more<span class="max-sm:hidden"> {messageNoun}</span>
                </span>
              </Button>
            )}
          </NotificationView>
        ))}
      </div>
      <p class="sr-only" role="status">
        {announcement}
      </p>
    </>
  );
}

/** Sets how much of the list's end its messages and the banner cover: the list leaves as much room there. */
function publishCoveringHeights(): () => void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const name = target.classList.contains('banner') ? '--banner' : '--messages';
      const height = `${target.clientHeight}px`;
      const { style } = document.documentElement;
      // each change computes the styles of the whole page again
      if (height !== (style.getPropertyValue(name) || '0px')) style.setProperty(name, height);
    }
  });
  for (const covering of document.querySelectorAll('.banner, .messages')) observer.observe(covering);
  return () => observer.disconnect();
}

/** Scrolls the list as far as a message would cover its focused row. */
const scrollFocusedRowIntoView = () => document.querySelector('.scroller :focus')?.scrollIntoView({ block: 'nearest' });

type NotificationViewProps = Readonly<{ message: PageNotification; isShown: boolean; children: ComponentChildren }>;

/** Its time also passes while it is not shown, so that an old one does not come back when a newer one ends. */
function NotificationView({ message, isShown, children }: NotificationViewProps) {
  const { id, at, text, kind, action, otherAction } = message;
  const ref = useRef<HTMLDivElement>(null);
  const isHeld = useSignal(false);
  const wasHeld = useRef(false);
  const isBehindDialog = kind === 'undoable' && dialog.value !== undefined;
  const isWaiting = isShown && (isHeld.value || isBehindDialog);
  const look = () => {
    isHeld.value = ref.current?.matches(':hover, :focus-within') === true;
  };
  useEffect(() => {
    const lifetime = notificationLifetimesMs[kind];
    if (!isShown) isHeld.value = false; // what is hidden is told of no pointer that leaves it
    wasHeld.current = isShown && (wasHeld.current || isWaiting);
    if (lifetime === undefined || isWaiting) return;
    const left = wasHeld.current ? lifetime : at + lifetime - Date.now();
    const timer = setTimeout(() => dismissNotification(id), left);
    return () => clearTimeout(timer);
  }, [isShown, isWaiting]);
  if (!isShown) return null;
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
      {[action, otherAction].map(
        (one) =>
          one && (
            <Button
              key={one.label}
              class="btn-ghost"
              title={one.label === 'Undo' ? formatTooltip('undo', one.label) : undefined}
              onClick={() => {
                dismissNotification(id);
                one.run();
              }}
            >
              {one.label}
            </Button>
          ),
      )}
      {kind !== 'done' && <IconButton name="close" label="Close the message" onClick={() => dismissNotification(id)} />}
    </div>
  );
}
