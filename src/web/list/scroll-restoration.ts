import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { saveScroll, scrollTarget } from '../state/navigation.ts';

const start = { left: 0, top: 0 };

/**
 * Scrolls a box to the offset saved in the current history entry, and saves its offset from now on.
 * If the cursor is the target instead, call `reveal`. Returns the handler of scroll events.
 */
export function useScrollRestoration(
  ref: RefObject<HTMLElement | null>,
  name: string,
  reveal?: (box: HTMLElement, isAtStart: boolean) => void,
): () => void {
  const target = scrollTarget.value;
  /** Where the box is, if that is known: asking it takes a layout. */
  const known = useRef<typeof start | undefined>(start);
  const isAt = ({ left, top }: typeof start) => known.current?.left === left && known.current.top === top;
  useLayoutEffect(() => {
    const { current: box } = ref;
    if (!box) return;
    if (target.kind === 'cursor') {
      reveal?.(box, isAt(start));
      known.current = undefined;
      return;
    }
    const offset = { ...start, ...target.offsets[name] };
    if (!isAt(offset)) box.scrollTo({ ...offset, behavior: 'instant' });
    known.current = offset;
  }, [target]);
  return () => {
    const { current: box } = ref;
    if (!box) return;
    known.current = { left: box.scrollLeft, top: box.scrollTop };
    saveScroll(name, box);
  };
}
