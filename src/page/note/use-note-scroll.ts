import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { Note } from '../../core/note.ts';
import { registerScrollBox, scrollTarget } from '../state/navigation.ts';
import { findScrollerOrSelf } from './note-position.ts';

/** What was restored last: a form that is closed shows its note again, and must not scroll it once more. */
let lastRestoredNote = { target: scrollTarget.peek(), name: '' };

/**
 * Begins each note at its top, or where it was when Back, Forward or a reload return to it. `isShown`: whether the box
 * has the text of this note; the former one may stay while it is rendered.
 */
export function useNoteScrollRestoration(ref: RefObject<HTMLElement | null>, id: Note['id'], isShown: boolean): void {
  const target = scrollTarget.value;
  const name = `note-${id}`;
  useLayoutEffect(() => {
    if (ref.current) findScrollerOrSelf(ref.current).scrollTo(0, 0);
  }, [id]);
  useLayoutEffect(() => {
    if (!ref.current || !isShown) return;
    const box = findScrollerOrSelf(ref.current); // in a low window, that is the pane
    const offset = target.kind === 'offsets' ? target.offsets[name] : undefined;
    const isRestored = lastRestoredNote.target === target && lastRestoredNote.name === name;
    if (offset && !isRestored) box.scrollTo({ ...offset, behavior: 'instant' });
    lastRestoredNote = { target, name };
    return registerScrollBox(name, box);
  }, [target, name, isShown]);
}
