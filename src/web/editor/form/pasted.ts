/** Pastes that fill in more than one control. */
import { titleOf } from '../../../shared/text.ts';
import { replaceText } from './text-keys.ts';

type Paste<Control extends HTMLElement> = ClipboardEvent & { readonly currentTarget: Control };

const textIn = ({ clipboardData }: ClipboardEvent) =>
  (clipboardData?.getData('text/plain') ?? '').replace(/\r\n?/g, '\n');

/** Fills in an empty title from a text that is pasted as content. */
export function fillTitle(event: Paste<HTMLTextAreaElement>): void {
  const title = event.currentTarget.form?.elements.namedItem('title');
  if (title instanceof HTMLInputElement && title.value === '') title.value = titleOf(textIn(event));
}

/**
 * Several lines pasted into the title of an empty note: the first becomes the title, the others the content. A first
 * line that is too long for a title stays in the content as well.
 */
export function spreadLines(event: Paste<HTMLInputElement>): void {
  const { currentTarget: title } = event;
  const content = title.form?.elements.namedItem('content');
  const text = textIn(event).trimStart();
  const [first = '', ...others] = text.split('\n');
  const isEmpty = title.value === '' && content instanceof HTMLTextAreaElement && content.value === '';
  if (!isEmpty || !others.some((line) => /\S/.test(line))) return;
  event.preventDefault();
  const name = titleOf(text);
  replaceText(title, { from: 0, to: 0, text: name });
  const rest = name === first.trimEnd() ? others.join('\n').replace(/^(?:[^\S\n]*\n)+/, '') : text;
  replaceText(content, { from: 0, to: 0, text: rest });
}
