import type { Note } from '../../domain/note.ts';

/** Each name in full, so that its style is made. */
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

/** A colour as people see it; its name stands beside it for those who do not. */
export const Swatch = ({ color }: { color: Note['color'] }) => (
  <span
    class={`swatch inline-block size-3 shrink-0 rounded-full align-[-0.1em] ${background[color]}`}
    aria-hidden="true"
  />
);
