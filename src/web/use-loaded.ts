import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The last value loaded; loads again when `inputs` change, and drops values that arrive after that. */
export function useLoaded<Value>(load: () => Promise<Value>, inputs: readonly unknown[]): Signal<Value | undefined> {
  const loaded = useSignal<Value | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    void load().then((value) => {
      if (!isOver) loaded.value = value;
    });
    return () => {
      isOver = true;
    };
  }, inputs);
  return loaded;
}
