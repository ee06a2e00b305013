/** Groups that stand by their names in what is asked for. Labels are read only where a name may stand. */
import { groups } from '../enums.ts';
import { invalid } from '../error.ts';
import * as message from '../message.ts';
import { formatQuery, parseQuery } from '../query.ts';
import { type Group, groupCalled, type LabelStore } from './labels.ts';

type Labelled = Pick<LabelStore, 'labels'>;

const mayNameGroup = /(?:^|\s)g(?:roup)?:/i;

/** A line of a search in whose filters groups stand by their values, where they stood by their names. */
export async function lineInValues(line: string, store: Labelled): Promise<string> {
  return mayNameGroup.test(parseQuery(line).words) ? formatQuery(parseQuery(line, await store.labels())) : line;
}

/** The group of this value or name. Throws `invalid` with all of them. */
export async function groupNamed(name: string, store: Labelled): Promise<Group> {
  const value = groups.find((group) => group === name);
  if (value !== undefined) return value;
  const known = await store.labels();
  const group = groupCalled(name, known);
  if (group !== undefined) return group;
  const names = groups.flatMap((group) => [group, known[group]]).filter((name) => name !== null);
  throw invalid(message.notOneOf('group', names));
}

/** Fields of a note or of a filter, the group by its value where it was given by its name. Throws `invalid`. */
export async function fieldsInValues<Fields extends { readonly group?: string }>(
  { group, ...rest }: Fields,
  store: Labelled,
): Promise<Omit<Fields, 'group'> & { group?: Group }> {
  return group === undefined ? rest : { ...rest, group: await groupNamed(group, store) };
}
