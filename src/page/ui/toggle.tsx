import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface ToggleProps {
  readonly on: Signal<boolean>;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A labelled switch bound to a signal. */
export const Toggle = ({ on, class: more, children }: ToggleProps) => (
  <label class={`flex items-center gap-2 text-sm touch ${more}`}>
    <input
      type="checkbox"
      class="checkbox checkbox-sm"
      checked={on.value}
      onChange={({ currentTarget }) => {
        on.value = currentTarget.checked;
      }}
    />
    {children}
  </label>
);
