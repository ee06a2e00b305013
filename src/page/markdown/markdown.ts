import { micromark, type Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { highlightCode, languageOf } from './code.ts';
import { markInvisible, replacement } from './invisible-characters.ts';
import type { Rendered } from './render-job.ts';

/** Does not pad short table rows: padded to the width of the header, a 100 KB table becomes 250 MB of HTML. */
const raggedRows: Record<string, (this: Compiler) => void> = {
  tableRow() {
    this.lineEndingIfNeeded();
    this.tag('</tr>');
  },
};
/** Sets the `value` of each task box to the offset of its `[`. micromark's offsets do not count a byte order mark. */
const taskBoxes = (
  text: string,
): Record<string, (this: Compiler, token: { readonly start: { readonly offset: number } }) => void> => ({
  taskListCheck({ start }) {
    this.tag(`<input type="checkbox" value="${start.offset + (text.startsWith('\ufeff') ? 1 : 0)}" `);
  },
});
type Compiler = Readonly<Record<'lineEndingIfNeeded' | 'tag', (html?: string) => void>>;

/** Footnotes, whose ids could clash with those of the page, and references, decoded by inserting untrusted HTML. */
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

/** Inline code, a block with its language, or, outside of code, a bidi control or a reference, in escaped HTML. */
const special =
  /(<pre>)?<code(?: class="language-([^"]*)")?>([^<]*)<\/code>(?:<\/pre>)?|([\u202a-\u202e\u2066-\u2069]|&amp;#(?:x0*20(?:2[a-e]|6[6-9])|0*8(?:23[4-8]|29[4-7]));)|&amp;(#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,31});/gi;

const characters: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
const unescapeHtml = (html: string) => html.replace(/&(?:lt|gt|quot|amp);/g, (name) => characters[name] ?? name);

const blockHtml = (code: string, index: number, isShell: boolean) =>
  `<div class="code-block"><pre role="region" aria-label="Code ${index + 1}" tabindex="0" dir="ltr"><code>${code}</code></pre>` +
  `<button type="button" class="btn btn-xs touch no-print" data-block="${index}"${isShell ? ' data-shell=""' : ''} aria-label="Copy code ${index + 1}">Copy</button></div>`;

/** Raw HTML stays text, images become links. Call it where it can be terminated: malicious texts take minutes. */
export function renderMarkdown(text: string): Rendered {
  const blocks: string[] = [];
  const html = rewriteTags(micromark(text, github(text))).replace(
    special,
    (_, isBlock?: string, name?: string, escaped = '', bidi?: string, reference?: string) => {
      if (bidi !== undefined) return replacement;
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

/** A tag in micromark's output, which escapes every other `<` and every `"` in an attribute. */
const tag = /<(\/?[a-z][a-z0-9]*)((?: [a-z]+="[^"]*")*) ?\/?>/g;

/** An escaped web or mail address, or a link to a note of this page; excludes `javascript:` and the like. */
const address = /^(?:https?:\/\/|mailto:|\?note=\d+$)/i;

const attributeIn = (attributes: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';

const openLink = (attributes: string) => `<a${attributes} rel="noopener noreferrer" target="_blank">`;

function checkbox(attributes: string): string {
  const checked = attributes.includes(' checked=') ? ' checked=""' : '';
  const value = attributeIn(attributes, 'value');
  return `<input type="checkbox" class="checkbox checkbox-xs" aria-label="Done" value="${value}" disabled=""${checked}>`;
}

/** Turns images into links and links with other targets than `address` into text, and lets wide tables scroll. */
function rewriteTags(html: string): string {
  const isLinked: boolean[] = [];
  let tables = 0;

  function link(attributes: string): string {
    const isShown = address.test(attributeIn(attributes, 'href')) && !isLinked.includes(true);
    isLinked.push(isShown);
    return isShown ? openLink(attributes) : '';
  }

  function image(attributes: string): string {
    const source = attributeIn(attributes, 'src');
    const text = attributeIn(attributes, 'alt') || source;
    return address.test(source) && !isLinked.includes(true) ? `${openLink(` href="${source}"`)}${text}</a>` : text;
  }

  function rewrite(whole: string, name: string, attributes: string): string {
    switch (name) {
      case 'a':
        return link(attributes);
      case '/a':
        return isLinked.pop() ? '</a>' : '';
      case 'img':
        return image(attributes);
      case 'input':
        return checkbox(attributes);
      case 'table':
        tables += 1;
        return `<div class="table-scroll" role="region" aria-label="Table ${tables}" tabindex="0"><table>`;
      case '/table':
        return '</table></div>';
      case 'ul':
      case 'ol':
      case 'blockquote':
        return `<${name}${attributes} dir="auto">`;
      default:
        return whole;
    }
  }

  return html.replace(tag, rewrite);
}
