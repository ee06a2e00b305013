/** Renders notes to HTML in a worker, which the page terminates after a timeout. */
import { serveWorkerMethods } from '../../core/workers/serve-worker.ts';
import { loadGrammarsIfNeeded } from './highlight-code.ts';
import type { RenderMethods } from './render-job.ts';
import { renderNote } from './render-note.ts';

declare const self: Worker;

const methods: RenderMethods = {
  loadGrammars: (text) => loadGrammarsIfNeeded(text).catch(() => {}),
  render: renderNote,
};

serveWorkerMethods(self, methods);
