/** Values of JSON that other programs wrote: whatever is missing or of another kind is empty, so that no reader fails on it. */
import { type Fields, isObject, parsed } from '../../shared/json.ts';
import { excessIn } from '../../shared/long-json/cost.ts';

/** About 500 MB of memory: a hundred times what a long conversation has. */
const maxParts = 5_000_000;

/** What a JSON text holds, or undefined where it is none, or would take gigabytes to parse. */
export const valueIn = (json: string): unknown =>
  excessIn(json, maxParts, Number.POSITIVE_INFINITY) === undefined ? parsed(json) : undefined;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first of the values that is a text with more in it than blanks. */
export const firstText = (...values: readonly unknown[]): string =>
  values.map(textOf).find((text) => text.trim() !== '') ?? '';

/** Seconds are below, milliseconds above it: as seconds it is the year 5138, as milliseconds 1973. */
const lowestMilliseconds = 1e11;
const maxTime = Date.UTC(9999, 11, 31);

/** A time in seconds or milliseconds since 1970, or as text, in ISO 8601 with milliseconds; undefined when it is none. */
export function timeOf(value: unknown): string | undefined {
  const number = typeof value === 'string' ? numberIn(value) : typeof value === 'number' ? value : 0;
  const time = Math.round(number < lowestMilliseconds ? number * 1000 : number);
  return time > 0 && time <= maxTime ? new Date(time).toISOString() : undefined;
}

const numberIn = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000);
