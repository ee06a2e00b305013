/**
 * The labels of categories and groups: how they are parsed and changed, and how labels in user input are resolved to
 * values. The labels are read only when the input may contain one.
 */
import { categories, groups } from './enums.ts';
import { createInvalidError } from './error.ts';
import * as message from './error-messages.ts';
import type { Fields } from './json/json.ts';
import type { Note } from './note.ts';
import { formatQuery, getLabelSlug, parseQuery } from './search-line.ts';
import { invisiblePattern } from './text/invisible-patterns.ts';
import { truncateText } from './text/truncate-text.ts';

type LabelReader = Pick<LabelStore, 'labels'>;

const mayNameLabel = /(?:^|\s)(?:c|category|g|group):/i;

/** Replaces labels in the filters of a search line by values. */
export async function resolveLabelsInLine(line: string, store: LabelReader): Promise<string> {
  return mayNameLabel.test(parseQuery(line).words) ? formatQuery(parseQuery(line, await store.labels())) : line;
}

/** Finds the category or group with this value or label, also as typed in a line. Throws `invalid`, listing all. */
export async function resolveLabel<Field extends LabelledField>(
  field: Field,
  name: string,
  store: LabelReader,
): Promise<Note[Field]> {
  const values = valuesByField[field];
  const value = values.find((one) => one === name);
  if (value !== undefined) return value;
  const known = await store.labels();
  const found =
    findByValueOrLabel(field, name, known) ?? values.find((one) => getLabelSlug(known, one) === name.toLowerCase());
  if (found !== undefined) return found;
  const names = values.flatMap((one) => [one, known[one]]).filter((one) => one !== null && one !== undefined);
  throw createInvalidError(message.notOneOf(field, names));
}

/** Replaces the labels of a category and a group in fields or a filter by their values. Throws `invalid`. */
export async function resolveLabelsInFields<
  Fields extends { readonly category?: string | undefined; readonly group?: string | undefined },
>(
  { category, group, ...rest }: Fields,
  store: LabelReader,
): Promise<Omit<Fields, LabelledField> & { category?: Category; group?: Group }> {
  return {
    ...rest,
    ...(category !== undefined && { category: await resolveLabel('category', category, store) }),
    ...(group !== undefined && { group: await resolveLabel('group', group, store) }),
  };
}

export type Category = Note['category'];
export type Group = Note['group'];

/** The fields whose values can have labels. No value is one of both. */
export type LabelledField = 'category' | 'group';
const labelledValues = [...groups, ...categories] as const;
type LabelledValue = (typeof labelledValues)[number];

const valuesByField: { readonly [Field in LabelledField]: readonly Note[Field][] } = {
  category: categories,
  group: groups,
};

/** The label of each group and category, distinct when case is ignored; null: it has only its value. */
export type Labels = Readonly<Record<LabelledValue, string | null>>;

/** New labels of all groups, and of the categories that are named. */
export type LabelChanges = Readonly<Record<Group, string | null> & Partial<Record<Category, string | null>>>;

/** Labels as they are stored. A later version of the service may have stored those of more values. */
export type StoredLabels = Readonly<Record<string, string | null>>;

/** Stores the labels of groups and categories. */
export interface LabelStore {
  labels(): Promise<Labels>;

  /**
   * Replaces the labels of all groups and of the categories that are named, durably, and returns all labels. Fails with
   * `invalid` if two would be alike.
   */
  setLabels(changes: LabelChanges): Promise<Labels>;
}

/** In characters. */
export const maxLabelLength = 40;

/** Controls, line breaks and unpaired surrogates; `invisiblePattern` covers the other forbidden characters. */
const forbiddenInLabel = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Builds labels from stored ones; groups and categories without one get null. */
export const toLabels = (stored: StoredLabels): Labels => createLabelsOfAllValues((value) => stored[value] ?? null);

function createLabelsOfAllValues(findLabel: (value: LabelledValue) => string | null): Labels {
  return Object.fromEntries(labelledValues.map((value) => [value, findLabel(value)])) as Labels;
}

export const noLabels: Labels = toLabels({});

/** Parses and trims the labels in a request body; a group that the body does not name gets none. Throws `invalid`. */
export function parseLabelChangesFromBody(body: Fields): LabelChanges {
  const unknown = Object.keys(body).find((key) => labelledValues.every((value) => value !== key));
  if (unknown !== undefined) throw createInvalidError(message.unknownField(truncateText(unknown, 100), labelledValues));
  const changed = [...groups, ...categories.filter((category) => body[category] !== undefined)];
  return Object.fromEntries(changed.map((value) => [value, parseLabel(value, body[value] ?? null)])) as LabelChanges;
}

function parseLabel(value: LabelledValue, input: unknown): string | null {
  if (input === null) return null;
  const label = typeof input === 'string' ? input.trim() : '';
  const length = [...label.slice(0, 2 * maxLabelLength + 1)].length; // a long text is not spread whole
  if (length < 1 || length > maxLabelLength || forbiddenInLabel.test(label) || label.search(invisiblePattern) >= 0) {
    throw createInvalidError(message.invalidLabel(value, maxLabelLength));
  }
  return label;
}

/** Returns the stored labels with the changes. Throws `invalid`, naming one of the changes, if two would be alike. */
export function applyLabelChanges(stored: StoredLabels, changes: LabelChanges): StoredLabels {
  const labels: StoredLabels = { ...stored, ...changes };
  const unchanged = Object.keys(stored).filter((value) => !(value in changes));
  const owners = new Map<string, string>();
  for (const value of [...unchanged, ...Object.keys(changes)]) {
    const label = labels[value]?.toLowerCase();
    if (label === undefined) continue;
    const owner = owners.get(label) ?? findValueLikeLabel(value, label);
    if (owner !== undefined && owner !== value) throw createInvalidError(message.labelTaken(value, owner));
    owners.set(label, value);
  }
  return labels;
}

/**
 * Finds a value with which the label of another one would be confused. The label of a group may be the value of a
 * category, as it could be before categories had labels.
 */
const findValueLikeLabel = (value: string, label: string): LabelledValue | undefined =>
  (groups.some((group) => group === value) ? groups : labelledValues).find((one) => one === label);

/** Formats a category or group for people: its label, then its value. */
export const formatValueWithLabel = (value: LabelledValue, labels: Labels): string => {
  const label = labels[value];
  return label ? `${label} (${value})` : value; // a later version of the service may have more values
};

/** Finds the category or group with this value or label, ignoring the label's case. */
export function findByValueOrLabel<Field extends LabelledField>(
  field: Field,
  name: string,
  labels: Labels,
): Note[Field] | undefined {
  const values = valuesByField[field];
  const label = name.trim();
  return (
    values.find((value) => value === label) ??
    values.find((value) => labels[value]?.toLowerCase() === label.toLowerCase())
  );
}
