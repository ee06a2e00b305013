/**
 * Citation marks of ChatGPT: `<U+E200>cite<U+E202>turn0search1<U+E201>` and, before 2025, `【4†source】`. Their targets
 * are in the metadata of the message. Based on github.com/pionxzh/chatgpt-exporter, issue 259 (the characters),
 * github.com/Laumss/loominary, issue 17 (`content_references`), and public conversations of 2024 to 2026.
 */
import { type Fields, isObject, parsed } from '../../../core/tools/json.ts';
import { fieldsOf, firstText, listOf, textOf } from '../fields.ts';

/**
 * A mark that is closed, one that is not (up to the next blank: the rest may be words), the older form, or what is left
 * of a mark. U+E203 and U+E204 are around a cited sentence.
 */
const marks =
  / ?(?:\ue200([^\ue200\ue201\ue20b]*)[\ue201\ue20b]|\ue200(\w*(?:\ue202[^\s\ue200-\ue20b]*)*)|【 ?(\d+)(?::\d+)?†([^【】]*)】|\ue202(?:turn\d+[a-z]+\d+)?|[\ue200-\ue206\ue20b])/g;
const hasMarks = /[\ue200-\ue206\ue20b]|【 ?\d/;

/** Turns citation marks into Markdown links as far as `metadata` tells their targets, else into nothing. */
export function withLinks(text: string, metadata: Fields): string {
  const references = listOf(metadata['content_references']).map(fieldsOf);
  const byMark = new Map(references.map((reference) => [textOf(reference['matched_text']), reference]));
  const citations = listOf(metadata['citations']).map(fieldsOf);
  const byStart = new Map(citations.map((citation) => [citation['start_ix'], fieldsOf(citation['metadata'])]));
  const byNumber = new Map(
    citations.map(({ metadata: source }) => [`${fieldsOf(fieldsOf(source)['extra'])['cited_message_idx']}`, source]),
  );
  const linked = hasMarks.test(text)
    ? text.replace(marks, (match, closed?: string, open?: string, number?: string, words = '', at = 0) => {
        const mark = match.trimStart();
        const start = Number(at) + match.length - mark.length;
        const reference = byMark.get(mark) ?? byStart.get(start) ?? fieldsOf(byNumber.get(number ?? ''));
        const shown = linksOf(reference) || nameIn(reference, closed ?? open ?? '') || wordsIn(words);
        return shown && match.slice(0, match.length - mark.length) + shown;
      })
    : text;
  return [linked, footnote(references, linked)].filter(Boolean).join('\n\n');
}

/** The parts of a reference that have an address: pages, products, places. */
function linksOf(reference: Fields): string {
  const { items, products, businesses, type } = reference;
  const parts = [items, products, businesses].flatMap(listOf).map(fieldsOf);
  const links = [...(type === 'hidden' ? [] : [reference]), ...parts].map(linkOf).filter(Boolean);
  const [alone = ''] = links;
  return parts.length === 0 ? alone : links.length > 0 ? `(${[...new Set(links)].join(', ')})` : '';
}

function linkOf(part: Fields): string {
  const safe = part['title'] === undefined ? undefined : listOf(part['safe_urls'])[0];
  const url = firstText(part['url'], part['website_url'], safe);
  if (!/^https?:\/\/[^\s]+$/.test(url)) return '';
  const label = firstText(part['title'], part['name'], part['attribution'], url);
  return `[${plain(label)}](${url.replace(/[()<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

const plain = (label: string) => label.replace(/\s+/g, ' ').replace(/[\\[\]]/g, '\\$&');

/** Kinds of marks whose first argument is shown to the reader, with the address in the second. */
const named: readonly unknown[] = ['url', 'link_title', 'video'];

/** A name instead of a link: of an entity, a product or a file. */
function nameIn(reference: Fields, mark: string): string {
  const [kind = '', first = '', second = ''] = mark.split('\ue202');
  if (named.includes(kind)) return linkOf({ title: first, url: second }) || first;
  if (/^https?:/.test(first)) return linkOf({ url: first });
  const alt = textOf(reference['alt']).replace(/^\[(.*)\]\(\)$/, '$1');
  const { type, name } = reference;
  if (type === 'file') return firstText(name) && `(${plain(firstText(name))})`;
  return firstText(alt, name, entityIn(first));
}

/** An entity or a product is a list of kind or key, name and description. */
function entityIn(argument: string): string {
  const list = argument.startsWith('[') ? parsed(argument) : undefined;
  return textOf(listOf(list)[1]);
}

/** Browsing tools write words between such brackets, too: those stay. */
const wordsIn = (words: string) => (/^(source|L?\d+(-L?\d+)?|)$/.test(words.trim()) ? '' : words);

/** The list of sources below a message, as far as they are not linked in it. */
function footnote(references: readonly Fields[], text: string): string {
  const sources = references
    .filter(({ type }) => type === 'sources_footnote')
    .flatMap(({ sources }) => listOf(sources));
  const links = sources.filter(isObject).map(linkOf).filter(Boolean);
  const there = new Set(text.match(/\]\(https?:[^\s()]+\)/g));
  const missing = links.filter((link) => !there.has(link.slice(link.lastIndexOf(']('))));
  return missing.length === 0 ? '' : `Sources: ${[...new Set(missing)].join(', ')}`;
}
