import type { Note } from '../../domain/note.ts';

/** Full class names, as Tailwind finds classes by text search. */
const background: Record<Note['color'], string> = {
  primary: 'bg-primary',
  secondary: 'bg-secondary',
  accent: 'bg-accent',
  neutral: 'bg-neutral',
  info: 'bg-info',
  success: 'bg-success',
  warning: 'bg-warning',
  error: 'bg-error',
};

/** A colour swatch; decorative, as its name is next to it. */
export const Swatch = ({ color }: { color: Note['color'] }) => (
  <span
    class={`swatch inline-block size-3 shrink-0 rounded-full align-[-0.1em] ${background[color]}`}
    aria-hidden="true"
  />
);
