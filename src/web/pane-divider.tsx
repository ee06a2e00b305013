import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { listWidth } from './state/layout.ts';

/** What an arrow key moves the divider by, in px. */
const step = 24;
const least = 272;

/** The edge between the list and the note, which the pointer and the arrow keys move. A double click moves it back. */
export function PaneDivider() {
  const ref = useRef<HTMLHRElement>(null);
  const shown = useSignal(0);
  const list = () => ref.current?.parentElement?.querySelector('.list-pane')?.getBoundingClientRect();
  const most = () => window.innerWidth;

  /** The style bounds the width by the window. What it made of it is kept. */
  function resize(width: number | undefined): void {
    listWidth.value = width;
    shown.value = Math.round(list()?.width ?? 0);
    if (width !== undefined) listWidth.value = shown.value;
  }

  useLayoutEffect(() => {
    shown.value = Math.round(list()?.width ?? 0);
  }, []);

  return (
    <hr
      ref={ref}
      class="divider no-print"
      tabIndex={0}
      aria-label="Width of the list"
      aria-orientation="vertical"
      aria-valuenow={shown.value}
      aria-valuemin={least}
      aria-valuemax={Math.max(most(), shown.value)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        resize(shown.value + by);
      }}
      onMouseDown={(event) => event.preventDefault()} // or the row below it is dragged
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (currentTarget.hasPointerCapture(pointerId)) resize(clientX - (list()?.left ?? 0));
      }}
      onDblClick={() => resize(undefined)}
    />
  );
}
