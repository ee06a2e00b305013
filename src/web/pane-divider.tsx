import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { listWidth } from './state/layout.ts';

/** The step of the arrow keys, in px. */
const step = 24;
const least = 272;

/** The divider between list and note, moved by pointer or arrow keys. A double click resets it. */
export function PaneDivider() {
  const ref = useRef<HTMLHRElement>(null);
  const shown = useSignal(0);
  const list = () => ref.current?.parentElement?.querySelector('.list-pane')?.getBoundingClientRect();

  /** CSS limits the width to the window; the resulting width is stored. */
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
      aria-valuemax={Math.max(window.innerWidth, shown.value)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        resize(shown.value + by);
      }}
      onMouseDown={(event) => event.preventDefault()} // else the row below is dragged
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (currentTarget.hasPointerCapture(pointerId)) resize(clientX - (list()?.left ?? 0));
      }}
      onDblClick={() => resize(undefined)}
    />
  );
}
