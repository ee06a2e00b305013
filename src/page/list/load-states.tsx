import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loading, retry } from '../state/notes.ts';

/** Delays, in ms, of the skeleton rows, of "Still loading", and of the Retry button. */
const delaysMs = [200, 5_000, 10_000];

/**
 * Skeleton rows while there are no notes, after a delay, so that quick responses do not flicker; later, a Retry button.
 */
export function Waiting({ hasNotes }: { readonly hasNotes: boolean }) {
  const stage = useSignal(0);
  useEffect(() => {
    stage.value &&= 1; // another attempt
    const timers = delaysMs.map((delay, index) =>
      setTimeout(() => {
        stage.value = index + 1;
      }, delay),
    );
    return () => timers.forEach(clearTimeout);
  }, [loading.value]);
  if (stage.value < (hasNotes ? 2 : 1)) return null;
  return (
    <div role="status" aria-label="Loading notes">
      <p class="flex h-9 items-center gap-3 px-5 text-sm max-sm:h-11">
        {stage.value > 1 && 'Still loading'}
        {stage.value > 2 && <Retry />}
      </p>
      <div class="animate-pulse" hidden={hasNotes}>
        {Array.from({ length: 16 }, (_, index) => (
          <div key={index} class="flex h-(--row) flex-col gap-1.25 ps-14.5 pe-5 pt-3.75">
            <div class="skeleton h-4 w-2/3" />
            <div class="skeleton h-3 w-full" />
          </div>
        ))}
      </div>
    </div>
  );
}

const Retry = () => (
  <button type="button" class="btn btn-primary btn-sm touch" onClick={() => void retry()}>
    Retry
  </button>
);

export const LoadFailed = ({ text }: { text: string }) => (
  <div class="flex flex-col items-start gap-3 p-5" role="alert">
    <p class="font-medium">The notes could not be loaded</p>
    <p class="text-sm">{text}</p>
    <Retry />
  </div>
);
