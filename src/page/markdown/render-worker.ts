/** Renders notes to HTML in a worker, which the page terminates after a timeout. */
import './no-document.ts';
import { serveWorker } from '../../core/workers/serve-worker.ts';
import { codeHtml, loadGrammars } from './code.ts';
import { renderMarkdown } from './markdown.ts';
import type { Rendered, RenderJob, RenderMethods } from './render-job.ts';

declare const self: Worker;

/** More elements take too long to lay out, table cells in particular. */
const maxTags = { markdown: 20_000, css: 80_000, bash: 80_000 } as const;

function render({ format, text }: RenderJob): Rendered | undefined {
  const rendered = format === 'markdown' ? renderMarkdown(text) : { html: codeHtml(text, format), blocks: [] };
  return rendered.html.split('<').length <= maxTags[format] ? rendered : undefined;
}

const methods: RenderMethods = { loadGrammars: (text) => loadGrammars(text).catch(() => {}), render };

serveWorker(self, methods);
