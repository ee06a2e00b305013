/**
 * Citation marks of ChatGPT: `<U+E200>cite<U+E202>turn0search1<U+E201>` and, before 2025, `【4†source】`. Their targets
 * are in the metadata of the message. Based on github.com/pionxzh/chatgpt-exporter, issue 259 (the characters),
 * github.com/Laumss/loominary, issue 17 (`content_references`), and public conversations of 2024 to 2026.
 */
import { type Fields, isObject, tryParseJson } from '../../core/json/json.ts';
import { findFirstText, toArray, toObject, toText } from '../untyped-values.ts';

/**
 * A mark that is closed, one that is not (up to the next blank: the rest may be words), the older form, or what is left
 * of a mark. U+E203 and U+E204 are around a cited sentence.
 */
const citationMark =
  / ?(?:\ue200([^\ue200\ue201\ue20b]*)[\ue201\ue20b]|\ue200(\w*(?:\ue202[^\s\ue200-\ue20b]*)*)|【 ?(\d+)(?::\d+)?†([^【】]*)】|\ue202(?:turn\d+[a-z]+\d+)?|[\ue200-\ue206\ue20b])/g;
const citationMarkStart = /[\ue200-\ue206\ue20b]|【 ?\d/;

/** Turns citation marks into Markdown links as far as `metadata` tells their targets, else into nothing. */
export function linkCitations(text: string, metadata: Fields): string {
  const references = toArray(metadata['content_references']).map(toObject);
  const byMark = new Map(references.map((reference) => [toText(reference['matched_text']), reference]));
  const citations = toArray(metadata['citations']).map(toObject);
  const byStart = new Map(citations.map((citation) => [citation['start_ix'], toObject(citation['metadata'])]));
  const byNumber = new Map(
    citations.map(({ metadata: source }) => [`${toObject(toObject(source)['extra'])['cited_message_idx']}`, source]),
  );
  const linked = citationMarkStart.test(text)
    ? text.replace(citationMark, (match, closed?: string, open?: string, number?: string, words = '', at = 0) => {
        const mark = match.trimStart();
        const start = Number(at) + match.length - mark.length;
        const reference = byMark.get(mark) ?? byStart.get(start) ?? toObject(byNumber.get(number ?? ''));
        const shown =
          formatReferenceLinks(reference) ||
          formatReferenceNameOrLink(reference, closed ?? open ?? '') ||
          omitGeneratedWords(words);
        return shown && match.slice(0, match.length - mark.length) + shown;
      })
    : text;
  return [linked, formatUnlinkedSources(references, linked)].filter(Boolean).join('\n\n');
}

/** The parts of a reference that have an address: pages, products, places. */
function formatReferenceLinks(reference: Fields): string {
  const { items, products, businesses, type } = reference;
  const parts = [items, products, businesses].flatMap(toArray).map(toObject);
  const links = [...(type === 'hidden' ? [] : [reference]), ...parts].map(formatLinkOrEmpty).filter(Boolean);
  const [alone = ''] = links;
  if (links.length === 0 || parts.length === 0) return alone;
  return `(${[...new Set(links)].join(', ')})`;
}

function formatLinkOrEmpty(part: Fields): string {
  const safe = part['title'] === undefined ? undefined : toArray(part['safe_urls'])[0];
  const url = findFirstText(part['url'], part['website_url'], safe);
  if (!/^https?:\/\/[^\s]+$/.test(url)) return '';
  const label = findFirstText(part['title'], part['name'], part['attribution'], url);
  return `[${escapeLabel(label)}](${url.replace(/[()<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

const escapeLabel = (label: string) => label.replace(/\s+/g, ' ').replace(/[\\[\]]/g, '\\$&');

/** Kinds of marks whose first argument is shown to the reader, with the address in the second. */
const namedMarkKinds: readonly unknown[] = ['url', 'link_title', 'video'];

/** A name instead of a link: of an entity, a product or a file. */
function formatReferenceNameOrLink(reference: Fields, mark: string): string {
  const [kind = '', first = '', second = ''] = mark.split('\ue202');
  if (namedMarkKinds.includes(kind)) return formatLinkOrEmpty({ title: first, url: second }) || first;
  if (/^https?:/.test(first)) return formatLinkOrEmpty({ url: first });
  const alt = toText(reference['alt']).replace(/^\[(.*)\]\(\)$/, '$1');
  const { type, name } = reference;
  if (type === 'file') return findFirstText(name) && `(${escapeLabel(findFirstText(name))})`;
  return findFirstText(alt, name, findEntityName(first));
}

/** An entity or a product is a list of kind or key, name and description. */
function findEntityName(argument: string): string {
  const list = argument.startsWith('[') ? tryParseJson(argument) : undefined;
  return toText(toArray(list)[1]);
}

/** Browsing tools write words between such brackets, too: those stay. */
const omitGeneratedWords = (words: string) => (/^(source|L?\d+(-L?\d+)?|)$/.test(words.trim()) ? '' : words);

/** The list of sources below a message, as far as they are not linked in it. */
function formatUnlinkedSources(references: readonly Fields[], text: string): string {
  const sources = references
    .filter(({ type }) => type === 'sources_footnote')
    .flatMap(({ sources }) => toArray(sources));
  const links = sources.filter(isObject).map(formatLinkOrEmpty).filter(Boolean);
  const linksInText = new Set(text.match(/\]\(https?:[^\s()]+\)/g));
  const missing = links.filter((link) => !linksInText.has(link.slice(link.lastIndexOf(']('))));
  return missing.length === 0 ? '' : `Sources: ${[...new Set(missing)].join(', ')}`;
}
