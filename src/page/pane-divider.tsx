import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { listWidth, sidebarWidth } from './state/layout.ts';

const keyStepPx = 24;

const resizablePanes = {
  list: { width: listWidth, selector: '.list-pane', least: 272 },
  sidebar: { width: sidebarWidth, selector: '.sidebar', least: 192 },
} as const;

export function PaneDivider({ name }: { name: keyof typeof resizablePanes }) {
  const { width, selector, least } = resizablePanes[name];
  const shown = useSignal(0);
  const pane = () => document.querySelector(selector)?.getBoundingClientRect();
  const measure = () => {
    shown.value = Math.round(pane()?.width ?? 0);
  };

  /** CSS limits the width to the window; the resulting width is stored. */
  function resize(wanted: number | undefined): void {
    width.value = wanted === undefined ? undefined : Math.max(wanted, least);
    measure();
    if (wanted !== undefined) width.value = shown.value;
  }

  useLayoutEffect(measure, []);

  return (
    <hr
      class={`divider divider-${name} no-print`}
      tabIndex={0}
      aria-label={`Width of the ${name}`}
      aria-orientation="vertical"
      aria-valuenow={shown.value}
      aria-valuemin={least}
      aria-valuemax={Math.max(window.innerWidth, shown.value)}
      onFocus={measure} // windows and other panes have changed it, too
      onKeyDown={(event) => {
        const by = { ArrowLeft: -keyStepPx, ArrowRight: keyStepPx }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        resize(shown.value + by);
      }}
      onMouseDown={(event) => event.preventDefault()} // else the row below is dragged
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (currentTarget.hasPointerCapture(pointerId)) resize(clientX - (pane()?.left ?? 0));
      }}
      onDblClick={() => resize(undefined)}
    />
  );
}
