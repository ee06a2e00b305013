/** Renders notes to HTML in a worker, which the page terminates after a timeout. */
import './no-document.ts';
import { codeHtml, loadGrammars } from './code.ts';
import { renderMarkdown } from './markdown.ts';
import type { FromWorker, Rendered, RenderJob } from './worker-jobs.ts';

declare const self: {
  onmessage: (event: MessageEvent<RenderJob>) => void;
  postMessage(message: FromWorker<Rendered>): void;
};

/** More elements take too long to lay out, table cells in particular. */
const maxTags = { markdown: 20_000, css: 80_000, bash: 80_000 } as const;

function render({ format, text }: RenderJob): Rendered | undefined {
  const rendered = format === 'markdown' ? renderMarkdown(text) : { html: codeHtml(text, format), blocks: [] };
  return rendered.html.split('<').length <= maxTags[format] ? rendered : undefined;
}

self.onmessage = async ({ data }) => {
  if (data.format === 'markdown') {
    self.postMessage('loading');
    await loadGrammars(data.text).catch(() => {}); // service unreachable: the code stays plain
    self.postMessage('running');
  }
  self.postMessage(render(data));
};
self.postMessage('running');
