import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { NoteDraft } from '../../core/note.ts';
import { copyText } from '../copy/copy.ts';
import { keyName } from '../keyboard/keymap.ts';
import { TypedContent } from '../markdown/content.tsx';

/** Whether forms show a preview, beside the text if there is room, else instead of it. */
export const isPreviewed = signal(false);

export const previewKey = 'Ctrl+Shift+P';

export const isPreviewKey = (event: KeyboardEvent) => keyName(event) === previewKey;

/** The delay of the preview after a key press, in ms. */
const followMs = 150;

/** Without filling in placeholders: that dialog would close the form. */
const copyBlock = (text: string) => void copyText({ text, name: 'the block' }, text);

interface PreviewProps {
  readonly form: RefObject<HTMLFormElement | null>;
  /** The fields in the form. */
  readonly fields: () => NoteDraft;
}

/** The text of a form as its note will show it. */
export function Preview({ form, fields }: PreviewProps) {
  const shown = useSignal(fields());
  useLayoutEffect(() => {
    const { current: element } = form;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        shown.value = fields();
      }, followMs);
    };
    element?.addEventListener('input', follow);
    return () => {
      clearTimeout(timer);
      element?.removeEventListener('input', follow);
    };
  }, []);
  return (
    <section class="form-preview" aria-label="Preview" tabIndex={-1}>
      {shown.value.content === '' ? (
        <p class="muted">Nothing to preview</p>
      ) : (
        <TypedContent note={shown.value} copy={copyBlock} />
      )}
    </section>
  );
}
