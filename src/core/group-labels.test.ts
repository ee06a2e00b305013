import { expect, test } from 'bun:test';
import {
  findGroup,
  type Labels,
  noLabels,
  parseLabels,
  resolveGroup,
  resolveGroupField,
  resolveLabelsInLine,
} from './group-labels.ts';

const long = '👍'.repeat(40);

test('labels are trimmed; a group that is left out, or null, has none', () => {
  expect(parseLabels({ first: ' Work ', third: null, fifth: long })).toEqual({
    first: 'Work',
    second: null,
    third: null,
    fourth: null,
    fifth: long,
  });
  expect(parseLabels({})).toEqual(noLabels);
});

const rule = 'Must be null, or a text of 1 to 40 characters without control characters';

test.each<[Record<string, unknown>, string]>([
  [{ first: '' }, `Invalid first. ${rule}`],
  [{ second: ' \n ' }, `Invalid second. ${rule}`],
  [{ first: 1 }, `Invalid first. ${rule}`],
  [{ fifth: `${long}x` }, `Invalid fifth. ${rule}`],
  [{ first: 'a\u0000b' }, `Invalid first. ${rule}`],
  [{ first: 'a\u202eb' }, `Invalid first. ${rule}`],
  [{ first: '\ud800' }, `Invalid first. ${rule}`],
  [{ first: 'Work', fourth: ' wORK' }, 'Invalid fourth. Must differ from first and its label'],
  [{ first: 'Second' }, 'Invalid first. Must differ from second and its label'],
  [{ first: 'Work', sixth: 'x' }, 'Unknown field sixth. Must be one of: first, second, third, fourth, fifth'],
  [{ ['k'.repeat(101)]: 'x' }, `Unknown field ${'k'.repeat(100)}…. Must be one of:`],
])('%j is refused', (body, reason) => {
  expect(() => parseLabels(body)).toThrow(reason);
});

test.each([
  ['first', 'first'],
  ['work', 'first'],
  ['second', 'second'],
  ['Second', undefined],
  ['', undefined],
])('%j is the group %p', (name, group) => {
  expect(findGroup(name, parseLabels({ first: 'Work' }))).toBe(group as 'first' | undefined);
});

const labels: Labels = { ...noLabels, second: 'At home', third: 'at-home, too' };
const store = { labels: async () => labels };

test.each([
  ['second', 'second'],
  ['at HOME', 'second'],
  ['at-home', 'second'],
  ['At-home-too', 'third'],
])('%j is the group %s', async (name, group) => {
  expect(await resolveGroup(name, store)).toBe(group as 'second');
});

test('another name is refused with all that there are', async () => {
  const refused = await resolveGroup('work', store).catch(String);

  expect(refused).toBe(
    'NoteError: Invalid group. Must be one of: first, second, At home, third, at-home, too, fourth, fifth',
  );
});

test('a line and fields get values; the labels are read only when they may be needed', async () => {
  let reads = 0;
  const counted = {
    async labels() {
      reads++;
      return labels;
    },
  };

  expect(await resolveLabelsInLine('git c:css g:first', counted)).toBe('git c:css g:first');
  expect(await resolveGroupField({ group: 'first' }, counted)).toEqual({ group: 'first' });
  expect(await resolveGroupField({}, counted)).toEqual({});
  expect(reads).toBe(0);
  expect(await resolveLabelsInLine('git g:at-home', counted)).toBe('g:second git');
  expect(reads).toBe(1);
});
