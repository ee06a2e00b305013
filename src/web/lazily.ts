import { signal } from '@preact/signals';

/** A part of the page that arrives once it is asked for. Until then, and when it cannot be had, there is none. */
export function lazily<Part>(load: () => Promise<Part>): () => Part | undefined {
  const part = signal<Part>();
  const arrive = (arrived: Part) => {
    part.value = arrived;
  };
  return () => {
    if (part.value === undefined) load().then(arrive, () => {});
    return part.value;
  };
}
