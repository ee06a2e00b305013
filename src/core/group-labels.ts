import { groups } from './enums.ts';
import { invalid } from './error.ts';
import * as message from './error-messages.ts';
import type { Fields } from './json/json.ts';
import type { Note } from './note.ts';
import { formatLabelAsWord, formatQuery, parseQuery } from './search-line.ts';
import { invisiblePattern } from './text/invisible-patterns.ts';
import { truncateText } from './text/truncate-text.ts';

/** Resolves group labels in user input to values. Reads the labels only when the input may contain one. */

type LabelReader = Pick<LabelStore, 'labels'>;

const mayNameGroup = /(?:^|\s)g(?:roup)?:/i;

/** Replaces group labels in the filters of a search line by group values. */
export async function resolveLabelsInLine(line: string, store: LabelReader): Promise<string> {
  return mayNameGroup.test(parseQuery(line).words) ? formatQuery(parseQuery(line, await store.labels())) : line;
}

/** Finds the group with this value or label, also as typed in a line. Throws `invalid`, listing all of them. */
export async function resolveGroup(name: string, store: LabelReader): Promise<Group> {
  const value = groups.find((group) => group === name);
  if (value !== undefined) return value;
  const known = await store.labels();
  const group = findGroup(name, known) ?? groups.find((one) => formatLabelAsWord(known, one) === name.toLowerCase());
  if (group !== undefined) return group;
  const names = groups.flatMap((group) => [group, known[group]]).filter((name) => name !== null);
  throw invalid(message.notOneOf('group', names));
}

/** Replaces a group label in fields or a filter by the group's value. Throws `invalid`. */
export async function resolveGroupField<Fields extends { readonly group?: string }>(
  { group, ...rest }: Fields,
  store: LabelReader,
): Promise<Omit<Fields, 'group'> & { group?: Group }> {
  return group === undefined ? rest : { ...rest, group: await resolveGroup(group, store) };
}

export type Group = Note['group'];

/** The label of each group, distinct when case is ignored; null: the group has only its value. */
export type Labels = Readonly<Record<Group, string | null>>;

/** Stores the labels of groups. */
export interface LabelStore {
  labels(): Promise<Labels>;

  /** Replaces all labels, durably, and returns them. */
  setLabels(labels: Labels): Promise<Labels>;
}

/** In characters. */
export const maxLabelLength = 40;

/** Controls, line breaks and unpaired surrogates; `invisible` covers the other forbidden characters. */
const forbiddenInLabel = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Builds labels from pairs of group and label; groups without a pair get none. */
export const createLabels = (known: Iterable<readonly [string, string | null]>): Labels => {
  const labels = new Map(known);
  return mapGroups((group) => labels.get(group) ?? null);
};

export const noLabels: Labels = createLabels([]);

function mapGroups(labelOf: (group: Group) => string | null): Labels {
  const [first, second, third, fourth, fifth] = groups;
  return {
    [first]: labelOf(first),
    [second]: labelOf(second),
    [third]: labelOf(third),
    [fourth]: labelOf(fourth),
    [fifth]: labelOf(fifth),
  };
}

/** Parses and trims the labels in a request body; a group that the body does not name gets none. Throws `invalid`. */
export function parseLabels(body: Fields): Labels {
  const unknown = Object.keys(body).find((key) => groups.every((group) => group !== key));
  if (unknown !== undefined) throw invalid(message.unknownField(truncateText(unknown, 100), groups));
  const labels = mapGroups((group) => parseLabel(group, body[group] ?? null));
  const groupsByName = new Map<string, Group>(groups.map((group) => [group, group]));
  for (const group of groups) {
    const label = labels[group]?.toLowerCase();
    if (label === undefined) continue;
    const other = groupsByName.get(label) ?? group;
    if (other !== group) throw invalid(message.labelTaken(group, other));
    groupsByName.set(label, group);
  }
  return labels;
}

function parseLabel(group: Group, given: unknown): string | null {
  if (given === null) return null;
  const label = typeof given === 'string' ? given.trim() : '';
  const length = [...label.slice(0, 2 * maxLabelLength + 1)].length; // a long text is not spread whole
  if (length < 1 || length > maxLabelLength || forbiddenInLabel.test(label) || label.search(invisiblePattern) >= 0) {
    throw invalid(message.invalidLabel(group, maxLabelLength));
  }
  return label;
}

/** Formats a group for people: its label, then its value. */
export const formatGroupName = (group: Group, labels: Labels): string => {
  const label = labels[group];
  return label === null ? group : `${label} (${group})`;
};

/** Finds the group with this value or label, ignoring the label's case. */
export const findGroup = (name: string, labels: Labels): Group | undefined =>
  groups.find((group) => group === name.trim()) ??
  groups.find((group) => labels[group]?.toLowerCase() === name.trim().toLowerCase());
