import { signal } from '@preact/signals';
import { toElapsedTime } from '../../core/text/elapsed-time.ts';
import type { Labels } from '../../core/value-labels.ts';
import { labels } from '../state/labels.ts';

/** Creates a value on first use and keeps it: the first date format takes 26 ms to create. */
function createLazyValue<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

const getDateTimeFormat = createLazyValue(
  () => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
);
const getRelativeFormat = createLazyValue(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }));
const getRelativeMinutesFormat = createLazyValue(() => new Intl.RelativeTimeFormat(undefined, { style: 'narrow' }));
const getDayFormat = createLazyValue(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }));
const getMonthFormat = createLazyValue(() => new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' }));
const createNarrowFormat = (unit: string) =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'narrow' });
const getShortUnitFormats = createLazyValue(
  () => new Map(['minute', 'hour', 'day'].map((unit) => [unit, createNarrowFormat(unit)])),
);

/** The current time for relative times, in ms since 1970; at most a minute old. */
const currentTimeMs = signal(Date.now());
setInterval(() => {
  currentTimeMs.value = Date.now();
}, 30_000);

/** A relative time in the browser's language: "5 min. ago", "last week". */
export function formatTimeAgo(timestamp: string): string {
  const { count, unit } = toElapsedTime(timestamp, currentTimeMs.value);
  return (unit === 'minute' ? getRelativeMinutesFormat : getRelativeFormat)().format(-count || 0, unit);
}

/** A short time: "now", "5m", "3d", "12 Nov", and "Nov 2025" for other years. */
export function formatShortTime(timestamp: string): string {
  const { count, unit } = toElapsedTime(timestamp, currentTimeMs.value);
  if (unit === 'second' || count < 0) return getRelativeFormat().format(0, 'second');
  const short = getShortUnitFormats().get(unit);
  if (short) return short.format(count);
  const date = new Date(timestamp);
  return (date.getFullYear() === new Date(currentTimeMs.value).getFullYear() ? getDayFormat : getMonthFormat)().format(
    date,
  );
}

export const formatDateTime = (timestamp: string) => getDateTimeFormat().format(new Date(timestamp));

export const maxExcerptLength = 160;

/** The first `length` UTF-16 units of a text, or one less to keep a surrogate pair whole. */
export const truncateToUnits = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** In characters. Longer titles are cut: right-to-left and Indic ones take seconds to render. */
const maxTitleLength = 1_000;

/** Bidi controls: a cut line would lose their end, and in a title they can spoof a file name. */
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g;

export const formatNoteTitle = ({ title }: { readonly title: string }) =>
  (title.length <= maxTitleLength ? title : `${truncateToUnits(title, maxTitleLength)}…`).replace(
    bidiControls,
    '\ufffd',
  );

/** The start of a text, with single spaces and without blank lines. */
export const formatRowExcerpt = (text: string, length = maxExcerptLength) =>
  text
    .slice(0, 2 * length)
    .replace(/\s*[\r\n]\s*/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(bidiControls, '\ufffd')
    .trim()
    .slice(0, length);

/** The label of a category or group, and the value of what has none. */
export const formatValueLabel = (value: string | boolean): string =>
  typeof value === 'boolean' ? 'Archived' : (labels.value[value as keyof Labels] ?? value);

export const capitalizeFirstLetter = (word: string): string => word.replace(/^./, (letter) => letter.toUpperCase());

const getNumberFormat = createLazyValue(() => new Intl.NumberFormat());

export const formatNumber = (number: number): string => getNumberFormat().format(number);

export const formatLocalNoteCount = (count: number) => `${formatNumber(count)} ${count === 1 ? 'note' : 'notes'}`;
