import type { ComponentChildren, RefObject } from 'preact';

interface ScrollAreaProps {
  readonly label: string;
  readonly class: string;
  readonly dir?: 'auto';
  readonly box?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

/** A part of the page that scrolls by itself, by keys too. */
export const ScrollArea = ({ label, box, children, ...rest }: ScrollAreaProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: browsers scroll by keys only what has the focus, and not all focus what scrolls
  <section {...(box && { ref: box })} aria-label={label} tabIndex={0} {...rest}>
    {children}
  </section>
);
