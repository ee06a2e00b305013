/** Groups that stand by their names in what is asked for. Labels are read only where a name may stand. */
import { groups } from '../enums.ts';
import { invalid } from '../error.ts';
import * as message from '../message.ts';
import { formatQuery, parseQuery } from '../query.ts';
import { type Group, groupCalled, type Labels } from './labels.ts';

type ReadLabels = () => Promise<Labels>;

const mayNameGroup = /(?:^|\s)g(?:roup)?:/i;

/** A line of a search in whose filters groups stand by their values, where they stood by their names. */
export async function lineInValues(line: string, labels: ReadLabels): Promise<string> {
  return mayNameGroup.test(parseQuery(line).words) ? formatQuery(parseQuery(line, await labels())) : line;
}

/** The group of this value or name. Throws `invalid` with all of them. */
export async function groupNamed(name: string, labels: ReadLabels): Promise<Group> {
  const value = groups.find((group) => group === name);
  if (value !== undefined) return value;
  const known = await labels();
  const group = groupCalled(name, known);
  if (group !== undefined) return group;
  const names = groups.flatMap((group) => [group, known[group]]).filter((name) => name !== null);
  throw invalid(message.notOneOf('group', names));
}
