/** Reads values of unknown types, as files of other programs have them. */

import { type Fields, isObject, tryParseJson } from '../core/json/json.ts';
import { validateJsonComplexity } from '../core/json/json-complexity.ts';

/** About 500 MB of memory, a hundred times the parts of a long conversation. */
const maxJsonParts = 5_000_000;

/** Parses JSON; undefined if it is invalid, or needs gigabytes. */
export const tryParseBoundedJson = (json: string): unknown =>
  validateJsonComplexity(json, maxJsonParts, Number.POSITIVE_INFINITY) === undefined ? tryParseJson(json) : undefined;

/** Converts a value to an object, a list, a text: empty if it is missing or of another type. */
export const toObject = (value: unknown): Fields => (isObject(value) ? value : {});

export const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first value that is a non-blank text. */
export const findFirstText = (...values: readonly unknown[]): string =>
  values.map(toText).find((text) => text.trim() !== '') ?? '';

/** Below: seconds; from here on: milliseconds. As seconds, this is the year 5138, as milliseconds, 1973. */
const lowestMilliseconds = 1e11;
const maxTime = Date.UTC(9999, 11, 31);

/** Converts seconds or milliseconds since 1970, or a date text, to ISO 8601 with milliseconds; undefined if invalid. */
export function tryParseTimestamp(value: unknown): string | undefined {
  const number = typeof value === 'string' ? toSecondsOrNaN(value) : value;
  if (typeof number !== 'number') return undefined;
  const time = Math.round(number < lowestMilliseconds ? number * 1000 : number);
  return time > 0 && time <= maxTime ? new Date(time).toISOString() : undefined;
}

const toSecondsOrNaN = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000);
