/**
 * Citation marks of ChatGPT: `<U+E200>cite<U+E202>turn0search1<U+E201>` and, before 2025, `【4†source】`. Their targets
 * are in the metadata of the message. Based on github.com/pionxzh/chatgpt-exporter, issue 259 (the characters),
 * github.com/Laumss/loominary, issue 17 (`content_references`), and public conversations of 2024 to 2026.
 */
import { type Fields, isObject, tryParseJson } from '../../../core/json/json.ts';
import { getFirstNonBlankOrEmpty, toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';

/**
 * Matches a mark that is closed, one that is not (up to the next blank, as the rest may be words), the older form, and
 * single characters of a mark. U+E203 and U+E204 are around a cited sentence.
 */
const citationMark =
  / ?(?:\ue200([^\ue200\ue201\ue20b]*)[\ue201\ue20b]|\ue200(\w*(?:\ue202[^\s\ue200-\ue20b]*)*)|【 ?(\d+)(?::\d+)?†([^【】]*)】|\ue202(?:turn\d+[a-z]+\d+)?|[\ue200-\ue206\ue20b])/g;
const citationMarkStart = /[\ue200-\ue206\ue20b]|【 ?\d/;

/**
 * Replaces citation marks by Markdown links as far as `metadata` tells their targets, else by nothing, and appends a
 * line with the sources that the text does not link.
 *
 * Example: in "It rains <mark>." the mark has the reference `{ title: 'Weather', url: 'https://a.org/' }`. The result
 * is "It rains [Weather](https://a.org/)."
 */
export function replaceCitationsAndAppendSources(text: string, metadata: Fields): string {
  const references = toArrayOrEmpty(metadata['content_references']).map(toObjectOrEmpty);
  const linked = replaceCitationMarks(text, createGetReferenceOfMarkOrEmpty(references, metadata));
  return [linked, formatUnlinkedSourcesOrEmpty(references, linked)].filter(Boolean).join('\n\n');
}

interface CitationMark {
  readonly text: string;
  /** The place of the mark in the text of the message. */
  readonly start: number;
  /** The number of the source in the older form, else empty. */
  readonly number: string;
}

type GetReferenceOrEmpty = (mark: CitationMark) => Fields;

function replaceCitationMarks(text: string, getReferenceOrEmpty: GetReferenceOrEmpty): string {
  if (!citationMarkStart.test(text)) return text;
  return text.replace(citationMark, (match, closed?: string, open?: string, number = '', words = '', at = 0) => {
    const mark = match.trimStart();
    const space = match.slice(0, match.length - mark.length);
    const reference = getReferenceOrEmpty({ text: mark, start: Number(at) + space.length, number });
    const shown =
      formatReferenceLinksOrEmpty(reference) ||
      formatMarkLinkOrNameOrEmpty(reference, closed ?? open ?? '') ||
      getWordsOrEmptyIfGenerated(words);
    return shown && space + shown;
  });
}

/** The reference of a mark is found by the text of the mark, by its place, or by the number of the older form. */
function createGetReferenceOfMarkOrEmpty(references: readonly Fields[], metadata: Fields): GetReferenceOrEmpty {
  const byMark = new Map(references.map((reference) => [toTextOrEmpty(reference['matched_text']), reference]));
  const citations = toArrayOrEmpty(metadata['citations']).map((citation) => {
    const { start_ix: start, metadata: source } = toObjectOrEmpty(citation);
    return { start, source: toObjectOrEmpty(source) };
  });
  const byStart = new Map(citations.map(({ start, source }) => [start, source]));
  const byNumber = new Map(
    citations.map(({ source }) => [`${toObjectOrEmpty(source['extra'])['cited_message_idx']}`, source]),
  );
  return ({ text, start, number }) => byMark.get(text) ?? byStart.get(start) ?? byNumber.get(number) ?? {};
}

/**
 * Formats the parts of a reference that have an address: pages, products, places. Returns an empty text if none has.
 */
function formatReferenceLinksOrEmpty(reference: Fields): string {
  const { items, products, businesses, type } = reference;
  const parts = [items, products, businesses].flatMap(toArrayOrEmpty).map(toObjectOrEmpty);
  const links = [...(type === 'hidden' ? [] : [reference]), ...parts].map(formatSourceLinkOrEmpty).filter(Boolean);
  const [alone = ''] = links;
  if (links.length === 0 || parts.length === 0) return alone;
  return `(${[...new Set(links)].join(', ')})`;
}

function formatSourceLinkOrEmpty(part: Fields): string {
  const safe = part['title'] === undefined ? undefined : toArrayOrEmpty(part['safe_urls'])[0];
  const url = getFirstNonBlankOrEmpty(part['url'], part['website_url'], safe);
  if (!/^https?:\/\/[^\s]+$/.test(url)) return '';
  const label = getFirstNonBlankOrEmpty(part['title'], part['name'], part['attribution'], url);
  return `[${formatOneLineLinkLabel(label)}](${url.replace(/[()<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

const formatOneLineLinkLabel = (label: string) => label.replace(/\s+/g, ' ').replace(/[\\[\]]/g, '\\$&');

/** In marks of these kinds the first argument is shown to the reader, and the second is the address. */
const namedMarkKinds: readonly unknown[] = ['url', 'link_title', 'video'];

/** Formats the name of an entity, a product or a file, or a link that the mark itself contains. */
function formatMarkLinkOrNameOrEmpty(reference: Fields, mark: string): string {
  const [kind = '', first = '', second = ''] = mark.split('\ue202');
  if (namedMarkKinds.includes(kind)) return formatSourceLinkOrEmpty({ title: first, url: second }) || first;
  if (/^https?:/.test(first)) return formatSourceLinkOrEmpty({ url: first });
  const alt = toTextOrEmpty(reference['alt']).replace(/^\[(.*)\]\(\)$/, '$1');
  const { type, name } = reference;
  if (type === 'file')
    return getFirstNonBlankOrEmpty(name) && `(${formatOneLineLinkLabel(getFirstNonBlankOrEmpty(name))})`;
  return getFirstNonBlankOrEmpty(alt, name, parseEntityNameOrEmpty(first));
}

/** Returns the name of an entity or a product, which is written as a list of kind or key, name and description. */
function parseEntityNameOrEmpty(argument: string): string {
  const list = argument.startsWith('[') ? tryParseJson(argument) : undefined;
  return toTextOrEmpty(toArrayOrEmpty(list)[1]);
}

/**
 * Returns an empty text for words that ChatGPT generated, such as "source" and "L3-L9". Browsing tools write words
 * between such brackets, too: those stay.
 */
const getWordsOrEmptyIfGenerated = (words: string) => (/^(source|L?\d+(-L?\d+)?|)$/.test(words.trim()) ? '' : words);

/**
 * Lists the sources of a message in a line, as far as its text does not link them. Returns an empty text if there are
 * none.
 */
function formatUnlinkedSourcesOrEmpty(references: readonly Fields[], text: string): string {
  const sources = references
    .filter(({ type }) => type === 'sources_footnote')
    .flatMap(({ sources }) => toArrayOrEmpty(sources));
  const links = sources.filter(isObject).map(formatSourceLinkOrEmpty).filter(Boolean);
  const linksInText = new Set(text.match(/\]\(https?:[^\s()]+\)/g));
  const missing = links.filter((link) => !linksInText.has(link.slice(link.lastIndexOf(']('))));
  return missing.length === 0 ? '' : `Sources: ${[...new Set(missing)].join(', ')}`;
}
