import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The last value loaded; loads again when `inputs` change, and aborts or drops what arrives after that. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Signal<Value | undefined> {
  const loaded = useSignal<Value | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    void load(leaving.signal).then((value) => {
      if (!leaving.signal.aborted) loaded.value = value;
    });
    return () => leaving.abort();
  }, inputs);
  return loaded;
}
