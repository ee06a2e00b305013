import type { ComponentChildren, RefObject } from 'preact';

interface ScrollAreaProps {
  readonly label: string;
  readonly class: string;
  readonly dir?: 'auto';
  /** Whether it has the focus when its dialog opens. */
  readonly autofocus?: boolean;
  readonly box?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

/** A scrollable part of the page, by keyboard too. */
export const ScrollArea = ({ label, box, children, ...rest }: ScrollAreaProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling by keyboard needs the focus, and not all browsers focus scroll areas
  <section {...(box && { ref: box })} aria-label={label} tabIndex={0} {...rest}>
    {children}
  </section>
);
