import { detectCodeLanguage } from '../../core/text/detect-code.ts';
import { mayHaveTurns } from './chat-turns.ts';
import { highlightCodeForHtmlParser } from './highlight-code.ts';
import { encloseIndentedLines } from './indented-lines.ts';
import { removeMarkdownSyntax } from './plain-text.ts';
import type { RenderedNote, RenderJob } from './render-job.ts';
import { renderChat, renderMarkdown } from './render-markdown.ts';

/** More elements take too long to lay out, table cells in particular. */
const maxTagCounts = { markdown: 20_000, code: 80_000 } as const;

/**
 * Renders a note as what it is: code, a chat, or Markdown. Undefined for plain text, and for what takes too long to lay
 * out.
 */
export function renderNote({ format, text }: RenderJob): RenderedNote | undefined {
  if (format === 'css' || format === 'bash') return renderCode(text, format);
  const rendered = tryRenderChat(format, text) ?? renderCodeOrMarkdown(format, text);
  return rendered && !rendered.isCode && hasTooManyTags(rendered.html, maxTagCounts.markdown) ? undefined : rendered;
}

/** A chat comes first: `User: Hello` is also a line of YAML. */
const tryRenderChat = (format: RenderJob['format'], text: string): RenderedNote | undefined =>
  mayHaveTurns(text) ? renderChat(text, format === 'chat') : undefined;

function renderCodeOrMarkdown(format: RenderJob['format'], text: string): RenderedNote | undefined {
  const language = format === 'prose' ? undefined : detectCodeLanguage(text);
  if (language !== undefined) return renderCode(text, language);
  return format === 'plain' && removeMarkdownSyntax(text) === text ? undefined : renderMarkdown(text);
}

function renderCode(text: string, language: string): RenderedNote | undefined {
  const html = encloseIndentedLines(highlightCodeForHtmlParser(text, language));
  return hasTooManyTags(html, maxTagCounts.code) ? undefined : { html, blocks: [], lines: [1], isCode: true };
}

const hasTooManyTags = (html: string, max: number): boolean => html.split('<').length > max;
