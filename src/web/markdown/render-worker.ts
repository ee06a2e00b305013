/** Renders notes to HTML on a thread of its own, which the page ends when it takes too long. */
import './no-document.ts';
import { codeHtml, loadGrammars } from './code.ts';
import { markdown } from './markdown.ts';
import type { Rendered, RenderJob } from './renderer.ts';
import type { FromWorker } from './worker-jobs.ts';

declare const self: {
  onmessage: (event: MessageEvent<RenderJob>) => void;
  postMessage(message: FromWorker<Rendered>): void;
};

/** More elements take a browser too long to lay out, cells of tables most of all. */
const maxTags = { markdown: 20_000, css: 80_000, bash: 80_000 } as const;

function render({ format, text }: RenderJob): Rendered | undefined {
  const rendered = format === 'markdown' ? markdown(text) : { html: codeHtml(text, format), blocks: [] };
  return rendered.html.split('<').length <= maxTags[format] ? rendered : undefined;
}

self.onmessage = async ({ data }) => {
  if (data.format === 'markdown') {
    self.postMessage('loading');
    await loadGrammars(data.text).catch(() => {}); // the service is away: the code stays plain
    self.postMessage('running');
  }
  self.postMessage(render(data));
};
self.postMessage('running');
