import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { saveScroll, scrollTarget } from '../state/navigation.ts';

/**
 * Scrolls a box to where it was when its entry of the history was left, and keeps where it is scrolled to from now on.
 * Where the cursor is wanted instead, `reveal` is called. Returns what is to be called when the box was scrolled.
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
