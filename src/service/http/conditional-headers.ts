/** Parses the headers that make requests depend on entity tags. */
import { createInvalidError } from '../../core/error.ts';
import type { IfMatch } from '../../core/store.ts';

/** Says whether an `If-None-Match` header contains an entity tag. */
export function matchesIfNoneMatch(header: string | null | undefined, tag: string): boolean {
  const known = listIfNoneMatchTags(header ?? '');
  return known === '*' || known.includes(tag);
}

/** Parses an `If-None-Match` header into tags without quotes and weakness; `*` matches any. Ignores anything else. */
export function listIfNoneMatchTags(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}

/** Between the quotes of an entity tag are neither blanks nor quotes (RFC 9110, 8.8.3). */
const entityTagPattern = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Parses the precondition of a write. Undefined without one: the header is missing, or `*`, which anything matches.
 * Throws `invalid`.
 */
export function parseIfMatchIfPresent(header: string | undefined): IfMatch | undefined {
  const tags = header === undefined ? '*' : parseIfMatchTags(header);
  return tags === '*' ? undefined : tags;
}

/**
 * Parses an `If-Match` header (RFC 9110, 13.1.1) into its strong tags without quotes, as a weak one never matches; `*`
 * matches any. A list may have empty elements. Throws `invalid` if the header has no tag, or anything else.
 */
function parseIfMatchTags(header: string): readonly string[] | '*' {
  if (header.trim() === '*') return '*';
  const elements = header
    .replaceAll(entityTagPattern, '""')
    .split(',')
    .map((element) => element.trim());
  const isList = elements.includes('""') && elements.every((element) => element === '' || element === '""');
  if (!isList) throw createInvalidError('Invalid If-Match. Must be * or entity tags in double quotes');
  return [...header.matchAll(entityTagPattern)].flatMap(([, weak, tag = '']) => (weak === undefined ? [tag] : []));
}
