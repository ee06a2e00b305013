/** Cuts texts without splitting surrogate pairs; formats numbers and names. */

const splitsSurrogatePair = (text: string, at: number) => /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1)) && at > 0;

/** Where the character at `at` begins. */
export const findCharacterStart = (text: string, at: number): number =>
  splitsSurrogatePair(text, at) ? at - 1 : Math.min(at, text.length);

/** About `length` characters from `start` on; `…` marks what is cut off. */
export function truncateText(text: string, length: number, start = 0): string {
  const [from, to] = [findCharacterStart(text, start), findCharacterStart(text, start + length)];
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** The same on one line. */
export const truncateToOneLine = (text: string, length: number, start = 0): string =>
  truncateText(text, length, start).replace(/\s+/g, ' ').trim();

/** The number of equal UTF-16 units at the start of two texts. */
export function commonPrefixLength(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let count = 0;
  while (count < max && one.charCodeAt(count) === other.charCodeAt(count)) count++;
  return count;
}

/** The number of equal UTF-16 units at the end, not counting the first `taken` ones. */
export function commonSuffixLength(one: string, other: string, taken: number): number {
  const max = Math.min(one.length, other.length) - taken;
  let count = 0;
  while (count < max && one.charCodeAt(one.length - 1 - count) === other.charCodeAt(other.length - 1 - count)) count++;
  return count;
}

/** A text as one word of a POSIX shell. */
export const quoteForShell = (text: string) =>
  /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const formatCount = (number: number) => Math.round(number).toLocaleString('en-US');

export const formatNoteCount = (notes: number) => (notes === 1 ? '1 note' : `${formatCount(notes)} notes`);

/** A name for files and commands: ASCII letters, digits and hyphens, at most 64; the id makes it unique. */
export function createNoteSlug({ id, title }: { readonly id: number; readonly title: string }): string {
  const plain = title
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words =
    plain
      .match(/[a-z0-9]+/g)
      ?.join('-')
      .slice(0, 47) ?? 'prompt';
  return `${words}-${id}`;
}

const units = ['KiB', 'MiB', 'GiB'] as const;

/** Formats bytes for people. */
export function formatByteSize(bytes: number): string {
  const power = bytes < 2 ** 20 / 10 ? 0 : bytes < 2 ** 30 ? 1 : 2;
  const size = bytes / 1024 ** (power + 1);
  return `${power === 0 ? Math.ceil(size) : size.toFixed(1)} ${units[power]}`;
}

const maxTitleLength = 200;

/**
 * Derives a title from a text: its first non-blank line, shortened, without the marks of a heading. The line that names
 * the interpreter of a script says nothing about it.
 */
export function deriveTitle(text: string): string {
  const said = text.replace(/^#!.*(?=[\r\n]+\s*\S)/, '');
  const [, line = ''] = /(?:#{1,6}[ \t]+)?(\S[^\r\n]*)/.exec(said) ?? [];
  return Array.from(line.slice(0, 2 * maxTitleLength))
    .slice(0, maxTitleLength)
    .join('')
    .trimEnd();
}

const timeUnits = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The time until `now` (ms since 1970) in whole units of the largest kind; 0 seconds below a minute. */
export function toElapsedTime(since: string, now: number): { readonly count: number; readonly unit: Unit } {
  const seconds = (now - Date.parse(since)) / 1000;
  const found = timeUnits.find(([, length]) => seconds >= length);
  return found === undefined ? { count: 0, unit: 'second' } : { count: Math.floor(seconds / found[1]), unit: found[0] };
}

type Unit = (typeof timeUnits)[number][0] | 'second';
