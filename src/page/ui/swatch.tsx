import type { Note } from '../../core/note.ts';

/** A colour swatch; decorative, as its name is next to it. */
export const Swatch = ({ color }: { color: Note['color'] }) => (
  <span
    class={`swatch ${color === 'neutral' ? 'swatch-none' : ''} inline-block size-3 shrink-0 align-[-0.1em]`}
    style={{ '--own': `var(--color-${color})` }}
    aria-hidden="true"
  />
);
