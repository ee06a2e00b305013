import type { CodeLanguage } from './code.ts';

export type RenderJob = Readonly<{ format: CodeLanguage | 'markdown'; text: string }>;

/** HTML from micromark or highlight.js. The button with `data-block="0"` copies `blocks[0]`, and so on. */
export interface Rendered {
  readonly html: string;
  /** The texts of the code blocks, without the last line end, which would run them when pasted into a terminal. */
  readonly blocks: readonly string[];
}

/** What the worker that renders can be asked. */
export type RenderMethods = {
  /** Loads what highlights the code in a Markdown text. Without it, which may be unreachable, the code stays plain. */
  loadGrammars(text: string): Promise<void>;
  /** Undefined if the result has too many elements to be laid out in time. */
  render(job: RenderJob): Rendered | undefined;
};
