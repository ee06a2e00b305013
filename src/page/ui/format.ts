import { signal } from '@preact/signals';
import { groups } from '../../core/enums.ts';
import { toElapsedTime } from '../../core/text/elapsed-time.ts';
import { groupName } from '../state/labels.ts';

/** Creates a value on first use and keeps it: the first date format takes 26 ms to create. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

const absolute = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));
const relative = once(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }));
const relativeMinutes = once(() => new Intl.RelativeTimeFormat(undefined, { style: 'narrow' }));
const day = once(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }));
const month = once(() => new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' }));
const narrow = (unit: string) => new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'narrow' });
const shortUnits = once(() => new Map(['minute', 'hour', 'day'].map((unit) => [unit, narrow(unit)])));

/** The current time for relative times, in ms since 1970; at most a minute old. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 30_000);

/** A relative time in the browser's language: "5 min. ago", "last week". */
export function timeAgo(timestamp: string): string {
  const { count, unit } = toElapsedTime(timestamp, now.value);
  return (unit === 'minute' ? relativeMinutes : relative)().format(-count || 0, unit);
}

/** A short time: "now", "5m", "3d", "12 Nov", and "Nov 2025" for other years. */
export function shortTime(timestamp: string): string {
  const { count, unit } = toElapsedTime(timestamp, now.value);
  if (unit === 'second' || count < 0) return relative().format(0, 'second');
  const short = shortUnits().get(unit);
  if (short) return short.format(count);
  const date = new Date(timestamp);
  return (date.getFullYear() === new Date(now.value).getFullYear() ? day : month)().format(date);
}

export const formatDateTime = (timestamp: string) => absolute().format(new Date(timestamp));

export const maxExcerptLength = 160;

/** The first `length` UTF-16 units of a text, or one less to keep a surrogate pair whole. */
export const truncate = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** In characters. Longer titles are cut: right-to-left and Indic ones take seconds to render. */
const maxTitleLength = 1_000;

/** Bidi controls: a cut line would lose their end, and in a title they can spoof a file name. */
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g;

export const displayTitle = ({ title }: { readonly title: string }) =>
  (title.length <= maxTitleLength ? title : `${truncate(title, maxTitleLength)}…`).replace(bidiControls, '\ufffd');

export const rowExcerpt = (text: string) =>
  text
    .slice(0, 2 * maxExcerptLength)
    .replace(/\s+/g, ' ')
    .replace(bidiControls, '\ufffd')
    .trim()
    .slice(0, maxExcerptLength);

export const valueName = (value: string | boolean): string => {
  const group = groups.find((group) => group === value);
  return group ? groupName(group) : typeof value === 'boolean' ? 'Archived' : value;
};

export const capitalized = (word: string): string => word.replace(/^./, (letter) => letter.toUpperCase());

export const noteCount = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'note' : 'notes'}`;

export const asItWas = (note: { readonly title: string }, more = ''): string =>
  `As it was${more}: “${displayTitle(note)}”`;
