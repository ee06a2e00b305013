/** Pastes that fill in more than one control. */
import { titleOf } from '../../../core/tools/text.ts';
import { replaceText } from './text-keys.ts';

type Paste<Control extends HTMLElement> = ClipboardEvent & { readonly currentTarget: Control };

const textIn = ({ clipboardData }: ClipboardEvent) =>
  (clipboardData?.getData('text/plain') ?? '').replace(/\r\n?/g, '\n');

/** Fills in an empty title from a text that is pasted as content. */
export function fillTitle(event: Paste<HTMLTextAreaElement>): void {
  const title = event.currentTarget.form?.elements.namedItem('title');
  if (title instanceof HTMLInputElement && title.value === '') title.value = titleOf(textIn(event));
}

/** Several lines pasted into the title of an empty note become its content; the title is a copy of the first. */
export function spreadLines(event: Paste<HTMLInputElement>): void {
  const { currentTarget: title } = event;
  const content = title.form?.elements.namedItem('content');
  const text = textIn(event);
  const isEmpty = title.value === '' && content instanceof HTMLTextAreaElement && content.value === '';
  if (!isEmpty || !text.trim().includes('\n')) return;
  event.preventDefault();
  replaceText(title, { from: 0, to: 0, text: titleOf(text) });
  replaceText(content, { from: 0, to: 0, text });
}
