/** The content of a note, as the page has it before its script is there. */
import type { ComponentProps } from 'preact';
import { lazy } from '../ui/lazy.ts';

/** Loads what shows contents: right after the start, as the first one is shown once the list is painted. */
export const loadContent = lazy(() => import('../markdown/content.tsx'));

type ContentProps = ComponentProps<typeof import('../markdown/content.tsx').Content>;

export function Content(props: ContentProps) {
  const part = loadContent();
  return part ? <part.Content {...props} /> : null;
}
