import type { CodeLanguage } from './highlight-code.ts';

/**
 * A text to be rendered. `format`: the language of a category of code; for the other categories `markdown`, `chat`,
 * which is Markdown as well, `prose`, which is Markdown and never code, or `plain` where Markdown is rendered only if
 * the text has any. A text of these four is shown as a chat if it has turns, and, except for `prose`, as code if it is
 * mostly code.
 */
export type RenderJob = Readonly<{ format: CodeLanguage | 'markdown' | 'chat' | 'prose' | 'plain'; text: string }>;

/**
 * HTML from `renderMarkdown`, `renderChat` or highlight.js. The button with `data-block="0"` copies `blocks[0]`, and so
 * on.
 */
export interface RenderedNote {
  /** Whether all of it is one block of code. */
  readonly isCode: boolean;
  readonly html: string;
  /** The texts of the code blocks, without the last line end, which would run them when pasted into a terminal. */
  readonly blocks: readonly string[];
  /** The lines of the text, from 1, at which the elements that `listLineElements` finds begin, in their order. */
  readonly lines: readonly number[];
}

/** What the worker that renders can be asked. */
export type RenderMethods = {
  /** Loads what highlights the code in a text. Without it, which may be unreachable, the code stays plain. */
  loadGrammars(text: string): Promise<void>;
  /**
   * Undefined if the text is plain, or if the result has too many elements, or is nested too deep, to be laid out in
   * time.
   */
  render(job: RenderJob): RenderedNote | undefined;
};
