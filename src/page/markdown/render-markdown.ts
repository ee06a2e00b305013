import type {
  Code,
  Definition,
  FootnoteDefinition,
  FootnoteReference,
  Image,
  List,
  ListItem,
  Nodes,
  PhrasingContent,
  Table,
  TableRow,
} from 'mdast';
import { type Chat, type ChatTurn, findChat } from './chat-turns.ts';
import { findHighlightLanguage, highlightCodeToHtml } from './highlight-code.ts';
import { encloseIndentedLines } from './indented-lines.ts';
import { encloseInvisibleCharacters, replacementCharacter } from './invisible-characters.ts';
import { type ParsedMarkdown, tryParseMarkdown } from './parse-markdown.ts';
import type { RenderedNote } from './render-job.ts';

/**
 * Renders Markdown to HTML. Raw HTML stays text, images become links. Returns undefined for a text that is nested too
 * deep. Call it where it can be terminated: malicious texts take minutes.
 */
export function renderMarkdown(text: string): RenderedNote | undefined {
  const parsed = tryParseMarkdown(text);
  return parsed && renderParsed(parsed, (renderer) => renderer.renderBlocks(parsed.root.children));
}

/** Renders a chat with its turns. Returns undefined as `renderMarkdown` does, and for a text that is no chat. */
export function renderChat(text: string, isChatCategory: boolean): RenderedNote | undefined {
  const parsed = tryParseMarkdown(text);
  const chat = parsed && findChat(parsed.root.children, isChatCategory);
  return chat && renderParsed(parsed, (renderer) => renderer.renderChat(chat));
}

function renderParsed(parsed: ParsedMarkdown, render: (renderer: MarkdownRenderer) => string): RenderedNote {
  const renderer = new MarkdownRenderer(parsed);
  return { isCode: false, html: render(renderer), blocks: renderer.blocks, lines: renderer.lines };
}

/** A web or mail address, or a link to a note of this page; excludes `javascript:` and the like. */
const allowedAddressPattern = /^(?:https?:\/\/|mailto:|\?note=\d+$)/i;

/** Bidirectional controls, which could show a text in another order than that of its characters. */
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g;

const lineEndPattern = /\r\n?|\n/g;

const htmlReferences: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '"': '&quot;', '&': '&amp;' };

/** For texts and for values of attributes in double quotes. */
const escapeHtml = (text: string) => text.replace(/[<>"&]/g, (character) => htmlReferences[character] ?? '');

const escapeText = (text: string) => escapeHtml(text.replace(bidiControls, replacementCharacter));

interface LinkTarget {
  readonly url: string;
  readonly title?: string | null | undefined;
}

/**
 * Writes the HTML of a tree. All tags and names of attributes that the page can get are in this class, the blocks of
 * `createCodeBlockHtml` and the spans of `highlightCodeToHtml` and `encloseIndentedLines`, and all texts and values are
 * escaped, so that no text can add others.
 */
class MarkdownRenderer {
  /** The texts of the code blocks. */
  readonly blocks: string[] = [];
  /** The lines at which paragraphs, headings, rules, items, rows of tables and blocks of code begin, in their order. */
  readonly lines: number[] = [];
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #footnoteNumbers: ReadonlyMap<string, number>;
  #tables = 0;
  /** Links cannot contain links. */
  #isInLink = false;

  constructor({ definitions, footnoteNumbers }: Omit<ParsedMarkdown, 'root'>) {
    this.#definitions = definitions;
    this.#footnoteNumbers = footnoteNumbers;
  }

  /** Writes nodes that stand on lines of their own. */
  renderBlocks(nodes: readonly Nodes[]): string {
    return nodes
      .map((node) => this.#renderNode(node))
      .filter((html) => html !== '')
      .join('\n');
  }

  renderChat({ introduction, turns }: Chat): string {
    const parts = [this.renderBlocks(introduction), ...turns.map((turn) => this.#renderTurn(turn))];
    return parts.filter((html) => html !== '').join('\n');
  }

  /** Called before the children of a node are written. A node that no text stands for is where the one before it is. */
  #addSourceLine(node: Nodes, linesBefore = 0): void {
    const line = node.position?.start.line;
    this.lines.push(line === undefined ? (this.lines.at(-1) ?? 1) : line + linesBefore);
  }

  #renderTurn({ speaker, isUser, nodes }: ChatTurn): string {
    const label = `<h3 class="speaker">${escapeText(speaker)}</h3>`;
    return `<div class="turn${isUser ? ' is-user' : ''}">\n${label}\n${this.renderBlocks(nodes)}\n</div>`;
  }

  #renderInline(nodes: readonly PhrasingContent[]): string {
    return nodes.map((node) => this.#renderNode(node)).join('');
  }

  #renderNode(node: Nodes): string {
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'thematicBreak')
      this.#addSourceLine(node);
    switch (node.type) {
      case 'text':
      case 'html':
        return escapeText(node.value);
      case 'paragraph':
        return `<p>${this.#renderInline(node.children)}</p>`;
      case 'heading':
        return `<h${node.depth}>${this.#renderInline(node.children)}</h${node.depth}>`;
      case 'emphasis':
        return `<em>${this.#renderInline(node.children)}</em>`;
      case 'strong':
        return `<strong>${this.#renderInline(node.children)}</strong>`;
      case 'delete':
        return `<del>${this.#renderInline(node.children)}</del>`;
      case 'break':
        return '<br />';
      case 'thematicBreak':
        return '<hr />';
      case 'taskBox':
        return createTaskBoxHtml(node.offset, node.isChecked);
      case 'inlineCode':
        return `<code dir="ltr">${encloseInvisibleCharacters(escapeHtml(node.value.replaceAll(lineEndPattern, ' ')))}</code>`;
      case 'code':
        return this.#renderCodeBlock(node);
      case 'link':
        return this.#renderLink(node, node.children);
      case 'linkReference':
        return this.#renderLink(this.#definitions.get(node.identifier), node.children);
      case 'image':
        return this.#renderImageAsLink(node, node.alt);
      case 'imageReference':
        return this.#renderImageAsLink(this.#definitions.get(node.identifier), node.alt);
      case 'blockquote':
        return `<blockquote dir="auto">\n${this.renderBlocks(node.children)}\n</blockquote>`;
      case 'list':
        return this.#renderList(node);
      case 'table':
        return this.#renderTable(node);
      case 'footnoteReference':
        return this.#renderFootnoteNumber(node);
      case 'footnoteDefinition':
        return this.#renderFootnote(node);
      case 'root':
      case 'listItem':
      case 'tableRow':
      case 'tableCell':
      case 'definition':
      case 'yaml':
        return ''; // written by their parents, shown elsewhere, or disabled
    }
  }

  #renderCodeBlock(node: Code): string {
    const { value, lang } = node;
    this.#addSourceLine(node, hasFence(node) ? 1 : 0);
    const index = this.blocks.push(value) - 1;
    const language = findHighlightLanguage(lang ?? undefined);
    const html = language ? highlightCodeToHtml(value, language) : encloseInvisibleCharacters(escapeHtml(value));
    return createCodeBlockHtml(value === '' ? '' : encloseIndentedLines(`${html}\n`), index, language === 'bash');
  }

  /** Writes a link with a target that is not allowed as its text. */
  #renderLink(target: LinkTarget | undefined, children: readonly PhrasingContent[]): string {
    if (this.#isInLink || target === undefined || !allowedAddressPattern.test(target.url))
      return this.#renderInline(children);
    this.#isInLink = true;
    const html = createLinkHtml(target, this.#renderInline(children));
    this.#isInLink = false;
    return html;
  }

  #renderImageAsLink(target: LinkTarget | undefined, alt: Image['alt']): string {
    const url = target?.url ?? '';
    const text = escapeText(alt || url);
    return allowedAddressPattern.test(url) && !this.#isInLink ? createLinkHtml({ url }, text) : text;
  }

  #renderList(list: List): string {
    const isLoose = list.spread || list.children.some(({ spread }) => spread);
    const items = list.children.map((item) => this.#renderItem(item, isLoose)).join('\n');
    if (!list.ordered) return `<ul dir="auto">\n${items}\n</ul>`;
    const start = typeof list.start === 'number' && list.start !== 1 ? ` start="${list.start}"` : '';
    return `<ol${start} dir="auto">\n${items}\n</ol>`;
  }

  /** Writes an item. If its list is not loose, its paragraphs have no tags. */
  #renderItem(item: ListItem, isLoose: boolean): string {
    this.#addSourceLine(item);
    let html = '';
    let isInline = true;
    for (const child of item.children) {
      const isBare = child.type === 'paragraph' && !isLoose;
      const childHtml = isBare ? this.#renderInline(child.children) : this.#renderNode(child);
      if (childHtml === '') continue;
      if (html !== '' || !isBare) html += '\n';
      html += childHtml;
      isInline = isBare;
    }
    return `<li>${html}${isInline ? '' : '\n'}</li>`;
  }

  /** Writes a footnote where it stands in the text. It has no link, whose id could clash with those of the page. */
  #renderFootnote(footnote: FootnoteDefinition): string {
    const html = this.renderBlocks(footnote.children);
    return `<div class="footnote">${this.#renderFootnoteNumber(footnote)}<div>${html}</div></div>`;
  }

  /** Writes the number of a footnote. One that is not referenced has its label. */
  #renderFootnoteNumber({ label, identifier }: FootnoteDefinition | FootnoteReference): string {
    return `<sup>${this.#footnoteNumbers.get(identifier) ?? escapeText(label ?? identifier)}</sup>`;
  }

  /** Wraps a table, so that a wide one scrolls. Rows of fewer cells are not padded: 100 KB could become 250 MB. */
  #renderTable(table: Table): string {
    const {
      children: [head, ...rows],
      align,
    } = table;
    this.#tables++;
    const columns = align ?? [];
    const writeRow = (row: TableRow | undefined, tag: 'td' | 'th') => {
      this.#addSourceLine(row ?? table);
      const cells = row?.children.slice(0, columns.length).map(({ children }, index) => {
        const side = columns[index];
        return `<${tag}${side ? ` align="${side}"` : ''}>${this.#renderInline(children)}</${tag}>`;
      });
      return `<tr>\n${cells?.join('\n')}\n</tr>`;
    };
    const headHtml = writeRow(head, 'th');
    const body = rows.length === 0 ? '' : `<tbody>\n${rows.map((row) => writeRow(row, 'td')).join('\n')}\n</tbody>\n`;
    return (
      `<div class="table-scroll" role="region" aria-label="Table ${this.#tables}" tabindex="0">` +
      `<table>\n<thead>\n${headHtml}\n</thead>\n${body}</table></div>`
    );
  }
}

/** Whether a block of code has a line with its fence above its text. Without one, it is indented. */
const hasFence = ({ value, position }: Code): boolean =>
  position !== undefined && position.end.line - position.start.line + 1 > value.split(lineEndPattern).length;

const createLinkHtml = ({ url, title }: LinkTarget, html: string) =>
  `<a href="${escapeHtml(url)}"${title ? ` title="${escapeText(title)}"` : ''} rel="noopener noreferrer" target="_blank">${html}</a>`;

const createTaskBoxHtml = (offset: number, isChecked: boolean) =>
  `<input type="checkbox" class="checkbox checkbox-xs" aria-label="Done" value="${offset}" disabled=""${isChecked ? ' checked=""' : ''}>`;

const createCodeBlockHtml = (code: string, index: number, isShell: boolean) =>
  `<div class="code-block"><pre role="region" aria-label="Code ${index + 1}" tabindex="0" dir="ltr"><code>${code}</code></pre>` +
  `<button type="button" class="btn btn-xs touch no-print" data-block="${index}"${isShell ? ' data-shell=""' : ''} aria-label="Copy code ${index + 1}">Copy</button></div>`;
