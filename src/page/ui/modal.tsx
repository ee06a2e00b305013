import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { closeDialog } from '../state/dialog.ts';
import { IconButton } from './buttons.tsx';

interface ModalProps {
  readonly title: string;
  readonly closesOnBackdrop?: boolean;
  readonly isLarge?: boolean;
  readonly hasHead?: boolean;
  readonly children: ComponentChildren;
}

/** Traps the focus, starts at the first field of a form or the checked radio button, and gives the focus back. */
export function Modal({ title, closesOnBackdrop = false, isLarge = false, hasHead = true, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('form :is([name]:not([type=radio]), :checked)')?.focus();
    return () => {
      dialog?.close();
      const search = document.querySelector<HTMLInputElement>('#search:focus');
      search?.setSelectionRange(-1, -1); // focus was restored without a caret: typing had no effect
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={`modal-box ${isLarge ? 'is-large' : ''}`}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        closeDialog();
      }}
      onClose={() => ref.current && closeDialog()}
      onMouseDown={(event) => {
        if (closesOnBackdrop && event.target === ref.current) closeDialog();
      }}
    >
      <div class={hasHead ? 'flex items-center justify-between gap-4 border-b border-base-300 px-5 py-3' : 'sr-only'}>
        <h2 id="dialog-title" class="line-clamp-2 min-w-0 font-semibold break-words">
          {title}
        </h2>
        {hasHead && <IconButton name="close" label="Close" title="Close (Esc)" onClick={closeDialog} />}
      </div>
      {children}
    </dialog>
  );
}

interface ScrollAreaProps {
  readonly label: string;
  readonly class: string;
  readonly dir?: 'auto';
  readonly autofocus?: boolean;
  readonly box?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

export const ScrollArea = ({ label, box, children, ...rest }: ScrollAreaProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling by keyboard needs the focus, and not all browsers focus scroll areas
  <section {...(box && { ref: box })} aria-label={label} tabIndex={0} {...rest}>
    {children}
  </section>
);
