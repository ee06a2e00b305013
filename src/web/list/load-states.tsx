import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loading, refresh } from '../state/notes.ts';

const delayMs = 200;

/** Grey rows, after a moment, so that a quick answer does not flicker. */
export function Skeleton() {
  const isLate = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      isLate.value = true;
    }, delayMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate.value) return null;
  return (
    <div class="animate-pulse pt-12" role="status" aria-label="Loading notes">
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} class="flex h-22 flex-col justify-center gap-2 px-5">
          <div class="skeleton h-4 w-2/3" />
          <div class="skeleton h-3 w-full" />
          <div class="skeleton h-3 w-1/3" />
        </div>
      ))}
    </div>
  );
}

export const LoadFailed = ({ text }: { text: string }) => (
  <div class="flex flex-col items-start gap-3 p-6" role="alert">
    <p class="font-medium">The notes could not be loaded</p>
    <p class="text-sm">{text}</p>
    <button
      type="button"
      class="btn btn-primary btn-sm touch"
      onClick={() => {
        loading.value = { kind: 'loading' };
        void refresh();
      }}
    >
      Retry
    </button>
  </div>
);
