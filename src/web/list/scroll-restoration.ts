import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { saveScroll, scrollTarget } from '../state/navigation.ts';

/**
 * Scrolls a box to the offset saved in the current history entry, and saves its offset from now on.
 * If the cursor is the target instead, call `reveal`. Returns the handler of scroll events.
 */
export function useScrollRestoration(
  ref: RefObject<HTMLElement | null>,
  name: string,
  reveal?: (box: HTMLElement) => void,
): () => void {
  const target = scrollTarget.value;
  useLayoutEffect(() => {
    const { current: box } = ref;
    if (!box) return;
    if (target.kind === 'cursor') reveal?.(box);
    else box.scrollTo({ left: 0, top: 0, ...target.offsets[name], behavior: 'instant' });
  }, [target]);
  return () => {
    if (ref.current) saveScroll(name, ref.current);
  };
}
