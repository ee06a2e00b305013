/**
 * Converts simple HTML, as chat programs write it, to Markdown: paragraphs, headings, lists, tables, code, quotes,
 * links and emphasis. Every word stays; of other elements only the text. Characters that Markdown would read as marks
 * are not escaped, since they are rare and a text reads better without backslashes.
 *
 * Example: `<p>Run <code>ls</code>:</p><ul><li>a<li>b</ul>` becomes "Run `ls`:", a blank line, "- a" and "- b".
 */
import { formatCodeBlock } from '../chats/transcript.ts';

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
}

type Node = Element | string;

export async function convertHtmlToMarkdown(html: string): Promise<string> {
  return formatBlocks((await parseHtml(html)).children);
}

/**
 * Parses HTML. The parser is loaded on demand, as few imports need it. It decodes entities, and closes open elements.
 */
async function parseHtml(html: string): Promise<Element> {
  const { Parser } = await import('htmlparser2');
  const root: Element = { tag: '', attributes: {}, children: [] };
  const open = [root];
  const parser = new Parser({
    onopentag(tag, attributes) {
      const element = { tag, attributes, children: [] };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    ontext: (text) => open.at(-1)?.children.push(text),
    onclosetag: () => open.pop(),
  });
  parser.end(html);
  return root;
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const blockTags: ReadonlySet<string> = new Set([
  ...headings,
  ...['p', 'div', 'section', 'article', 'ul', 'ol', 'li', 'pre', 'blockquote', 'table', 'hr', 'html', 'body'],
]);

const isBlockNode = (node: Node): boolean => typeof node !== 'string' && blockTags.has(node.tag);

/** Formats nodes as blocks. The inline nodes between two blocks are a paragraph. */
function formatBlocks(nodes: readonly Node[]): string {
  const blocks: string[] = [];
  let inline: Node[] = [];
  const finishParagraph = () => {
    blocks.push(formatInlineNodes(inline).trim());
    inline = [];
  };
  for (const node of nodes) {
    if (typeof node === 'string' || !isOrContainsBlock(node)) {
      inline.push(node);
    } else {
      finishParagraph();
      blocks.push(formatBlockElement(node));
    }
  }
  finishParagraph();
  return blocks.filter((block) => block !== '').join('\n\n');
}

const isOrContainsBlock = (element: Element): boolean =>
  isBlockNode(element) || element.children.some((child) => typeof child !== 'string' && isOrContainsBlock(child));

function formatBlockElement(element: Element): string {
  const { tag, attributes, children } = element;
  switch (tag) {
    case 'pre':
      return formatCodeBlock(joinTextsOfNode(element).replace(/\n$/, ''), getCodeLanguageOrEmpty(element));
    case 'ul':
    case 'ol':
      return formatListItems(children, tag === 'ol' ? Number(attributes['start'] ?? 1) : undefined);
    case 'table':
      return formatTable(element);
    case 'blockquote':
      return formatBlocks(children).replace(/^/gm, '> ').replace(/^> $/gm, '>');
    case 'hr':
      return '---';
    case 'a':
      return formatLinkOrText(formatBlocks(children), attributes['href'] ?? '');
    default: {
      const level = headings.indexOf(tag) + 1;
      return level > 0 ? `${'#'.repeat(level)} ${formatInlineNodes(children).trim()}` : formatBlocks(children);
    }
  }
}

/** Joins the texts in a node as they are written, with their line breaks. */
function joinTextsOfNode(node: Node): string {
  if (typeof node === 'string') return node;
  return node.tag === 'br' ? '\n' : node.children.map(joinTextsOfNode).join('');
}

function getCodeLanguageOrEmpty(node: Node): string {
  if (typeof node === 'string') return '';
  const language = /(?:^|\s)lang(?:uage)?-(\S+)/.exec(node.attributes['class'] ?? '')?.[1];
  return language ?? node.children.map(getCodeLanguageOrEmpty).find(Boolean) ?? '';
}

function formatListItems(nodes: readonly Node[], start: number | undefined): string {
  const items = nodes.filter((node) => typeof node !== 'string' || node.trim() !== '');
  const isLoose = items.some((item) => typeof item !== 'string' && item.children.some(isParagraphNode));
  return items
    .map((item, at) => {
      const mark = start === undefined ? '- ' : `${start + at}. `;
      const text = formatBlocks(typeof item === 'string' ? [item] : item.children);
      const tight = isLoose ? text : text.replace(/\n\n(?=[-\d])/g, '\n');
      return mark + tight.replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);
    })
    .join('\n');
}

const isParagraphNode = (node: Node) => typeof node !== 'string' && node.tag === 'p';

/** Formats a table. The first row is the head, as Markdown demands one. */
function formatTable(table: Element): string {
  const rows = listOutermostElements(table, ['tr']).map((row) =>
    listOutermostElements(row, ['td', 'th']).map(formatTableCell),
  );
  const width = Math.max(0, ...rows.map((row) => row.length));
  const [head = [], ...body] = rows.map((row) => [...row, ...Array<string>(width - row.length).fill('')]);
  const lines = [head, Array<string>(width).fill('---'), ...body].map((row) => `| ${row.join(' | ')} |`);
  const outside = table.children.filter((node) => typeof node !== 'string' && node.tag === 'caption');
  return [formatBlocks(outside), width === 0 ? joinTextsOfNode(table).trim() : lines.join('\n')]
    .filter(Boolean)
    .join('\n\n');
}

const formatTableCell = (cell: Element) =>
  formatBlocks(cell.children).replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();

/** Lists the elements with these tags, but not those within them. */
const listOutermostElements = (element: Element, tags: readonly string[]): readonly Element[] =>
  element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return tags.includes(child.tag) ? [child] : listOutermostElements(child, tags);
  });

function formatInlineNodes(nodes: readonly Node[]): string {
  return nodes
    .map(formatInlineNode)
    .join('')
    .replace(/[ \t]*\n[ \t]*/g, '\n');
}

function formatInlineNode(node: Node): string {
  if (typeof node === 'string') return node.replace(/[ \t\r\n\f]+/g, ' ');
  const text = formatInlineNodes(node.children);
  switch (node.tag) {
    case 'br':
      return '\n';
    case 'strong':
    case 'b':
      return wrapWordsInMarks('**', text);
    case 'em':
    case 'i':
      return wrapWordsInMarks('*', text);
    case 'del':
    case 's':
      return wrapWordsInMarks('~~', text);
    case 'code':
      return formatInlineCode(joinTextsOfNode(node));
    case 'a':
      return formatLinkOrText(text, node.attributes['href'] ?? '');
    case 'img':
      return `![${node.attributes['alt'] ?? ''}](${node.attributes['src'] ?? ''})`;
    default:
      return text;
  }
}

/**
 * Wraps a text in marks. Spaces around it stand outside of the marks, as Markdown demands.
 *
 * Example: " a " becomes " **a** ".
 */
function wrapWordsInMarks(mark: string, text: string): string {
  const words = text.trim();
  const start = text.length - text.trimStart().length;
  return words === '' ? text : text.slice(0, start) + mark + words + mark + text.slice(start + words.length);
}

function formatInlineCode(text: string): string {
  let ticks = '`';
  while (text.includes(ticks)) ticks += '`';
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return text === '' ? '' : ticks + space + text + space + ticks;
}

const formatLinkOrText = (text: string, address: string): string =>
  address === '' || address === text ? text : `[${text}](${address})`;
