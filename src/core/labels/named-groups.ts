/** Resolves group labels in user input to values. Reads the labels only when the input may contain one. */
import { groups } from '../enums.ts';
import { invalid } from '../error.ts';
import * as message from '../message.ts';
import { formatQuery, parseQuery, typedName } from '../query.ts';
import { type Group, groupCalled, type LabelStore } from './labels.ts';

type Labelled = Pick<LabelStore, 'labels'>;

const mayNameGroup = /(?:^|\s)g(?:roup)?:/i;

/** Replaces group labels in the filters of a search line by group values. */
export async function lineInValues(line: string, store: Labelled): Promise<string> {
  return mayNameGroup.test(parseQuery(line).words) ? formatQuery(parseQuery(line, await store.labels())) : line;
}

/** Finds the group with this value or label, also as typed in a line. Throws `invalid`, listing all of them. */
export async function groupNamed(name: string, store: Labelled): Promise<Group> {
  const value = groups.find((group) => group === name);
  if (value !== undefined) return value;
  const known = await store.labels();
  const group = groupCalled(name, known) ?? groups.find((one) => typedName(known, one) === name.toLowerCase());
  if (group !== undefined) return group;
  const names = groups.flatMap((group) => [group, known[group]]).filter((name) => name !== null);
  throw invalid(message.notOneOf('group', names));
}

/** Replaces a group label in fields or a filter by the group's value. Throws `invalid`. */
export async function fieldsInValues<Fields extends { readonly group?: string }>(
  { group, ...rest }: Fields,
  store: Labelled,
): Promise<Omit<Fields, 'group'> & { group?: Group }> {
  return group === undefined ? rest : { ...rest, group: await groupNamed(group, store) };
}
