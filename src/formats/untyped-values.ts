/** These functions read values of unknown types, as files of other programs have them. */

import { type Fields, isObject, tryParseJson } from '../core/json/json.ts';
import { findJsonComplexityProblem } from '../core/json/json-complexity.ts';

/** So many parts need about 500 MB of memory. A long conversation has a hundredth of them. */
const maxJsonParts = 5_000_000;

/** Parses JSON. Returns undefined if it is invalid, or would need gigabytes. */
export const tryParseBoundedJson = (json: string): unknown =>
  findJsonComplexityProblem(json, maxJsonParts, Number.POSITIVE_INFINITY) === undefined
    ? tryParseJson(json)
    : undefined;

/**
 * Returns a value that is an object, and an empty object for any other. The next two do the same for lists and texts.
 */
export const toObjectOrEmpty = (value: unknown): Fields => (isObject(value) ? value : {});

export const toArrayOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toTextOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the first of the values that is a text and not blank, and an empty text if none is. */
export const getFirstNonBlankOrEmpty = (...values: readonly unknown[]): string =>
  values.map(toTextOrEmpty).find((text) => text.trim() !== '') ?? '';

/** Smaller numbers are seconds, and others milliseconds. As seconds, this is the year 5138, as milliseconds, 1973. */
const lowestMilliseconds = 1e11;
const maxTime = Date.UTC(9999, 11, 31);

/** Converts seconds or milliseconds since 1970, or a date text, to ISO 8601 with milliseconds; undefined if invalid. */
export function tryConvertToIsoTime(value: unknown): string | undefined {
  const number = typeof value === 'string' ? toNumberOrDateSecondsOrNaN(value) : value;
  if (typeof number !== 'number') return undefined;
  const time = Math.round(number < lowestMilliseconds ? number * 1000 : number);
  return time > 0 && time <= maxTime ? new Date(time).toISOString() : undefined;
}

const toNumberOrDateSecondsOrNaN = (text: string) =>
  /^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000;
