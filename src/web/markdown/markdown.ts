import { micromark, type Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { highlightCode, languageOf } from './code.ts';
import { markInvisible } from './invisible-characters.ts';
import type { Rendered } from './renderer.ts';
import { rewriteTags } from './rewrite-tags.ts';

/** Leaves short rows short: filled up to the width of the head, 100 KB of table would become 250 MB of HTML. */
const raggedRows: Record<string, (this: Compiler) => void> = {
  tableRow() {
    this.lineEndingIfNeeded();
    this.tag('</tr>');
  },
};
/** Gives each task box the offset of its `[` in the text as its value. micromark counts from behind a byte order mark. */
const taskBoxes = (
  text: string,
): Record<string, (this: Compiler, token: { readonly start: { readonly offset: number } }) => void> => ({
  taskListCheck({ start }) {
    this.tag(`<input type="checkbox" value="${start.offset + (text.startsWith('\ufeff') ? 1 : 0)}" `);
  },
});
type Compiler = Readonly<Record<'lineEndingIfNeeded' | 'tag', (html?: string) => void>>;

/**
 * Left as they are written: footnotes, which would lead with ids and fragments through a page that is not theirs, and
 * character references, which micromark decodes in browsers by inserting HTML that no policy has made.
 */
const disabledConstructs = {
  disable: {
    null: ['gfmFootnoteCall', 'gfmFootnoteDefinition', 'gfmPotentialFootnoteCall', 'characterReference'],
  },
};

const extensions = [gfm(), disabledConstructs];
const gfmTags = gfmHtml();
const github = (text: string): Options => ({
  extensions,
  htmlExtensions: [gfmTags, { enter: taskBoxes(text), exit: raggedRows }],
});

/** Inline code, a code block with its language, or a character reference outside of code. Text in them is escaped. */
const codeOrReference =
  /(<pre>)?<code(?: class="language-([^"]*)")?>([^<]*)<\/code>(?:<\/pre>)?|&amp;(#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,31});/gi;

const characters: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
const unescapeHtml = (html: string) => html.replace(/&(?:lt|gt|quot|amp);/g, (name) => characters[name] ?? name);

const blockHtml = (code: string, index: number, isShell: boolean) =>
  `<div class="code-block"><pre role="region" aria-label="Code ${index + 1}" tabindex="0" dir="ltr"><code>${code}</code></pre>` +
  `<button type="button" class="btn btn-xs touch no-print" data-block="${index}"${isShell ? ' data-shell=""' : ''} aria-label="Copy code ${index + 1}">Copy</button></div>`;

/**
 * Renders GitHub's Markdown to HTML. Raw HTML is shown as text, links lead to the web or to a mailbox, images are links.
 * Call it where it can be ended: malicious texts take minutes.
 */
export function markdown(text: string): Rendered {
  const blocks: string[] = [];
  const html = rewriteTags(micromark(text, github(text))).replace(
    codeOrReference,
    (_, isBlock?: string, name?: string, escaped = '', reference?: string) => {
      if (reference !== undefined) return `&${reference};`;
      if (isBlock === undefined) return `<code dir="ltr">${markInvisible(escaped)}</code>`;
      const code = unescapeHtml(escaped);
      const language = languageOf(name);
      const index = blocks.push(code.replace(/\r?\n$/, '')) - 1;
      return blockHtml(language ? highlightCode(code, language) : markInvisible(escaped), index, language === 'bash');
    },
  );
  return { html, blocks };
}
