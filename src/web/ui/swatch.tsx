import type { Note } from '../../domain/note.ts';

/** Class names in full, as Tailwind finds them by text. */
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

/** A colour; its name stands beside it in text. */
export const Swatch = ({ color }: { color: Note['color'] }) => (
  <span
    class={`swatch inline-block size-3 shrink-0 rounded-full align-[-0.1em] ${background[color]}`}
    aria-hidden="true"
  />
);
