import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { saveScroll, scrollTarget } from '../state/navigation.ts';

/**
 * Scrolls a box to the offset saved in the current history entry, or calls `reveal` if the target is the cursor.
 * Returns a handler of scroll events that saves the offset.
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
