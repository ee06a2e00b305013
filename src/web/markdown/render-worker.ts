/** Makes HTML of notes on a thread of its own: texts that take seconds do not hold up the page, which ends the thread. */
import './no-document.ts';
import { code } from './code.ts';
import { markdown } from './markdown.ts';
import type { Job, Rendered } from './renderer.ts';

declare const self: {
  onmessage: (event: MessageEvent<Job>) => void;
  postMessage(rendered: Rendered | undefined): void;
};

/** More elements than this take a browser too long to lay out, most of all cells of tables. */
const mostTags = { markdown: 20_000, css: 80_000, bash: 80_000 } as const;

function render({ form, text }: Job): Rendered | undefined {
  const rendered = form === 'markdown' ? markdown(text) : { html: code(text, form), blocks: [] };
  return rendered.html.split('<').length <= mostTags[form] ? rendered : undefined;
}

self.onmessage = ({ data }) => self.postMessage(render(data));
