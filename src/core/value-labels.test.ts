import { expect, test } from 'bun:test';
import { parseQuery } from './search-line.ts';
import {
  applyLabelChanges,
  findByValueOrLabel,
  type Labels,
  noLabels,
  parseLabelChangesFromBody,
  resolveLabel,
  resolveLabelsInFields,
  resolveLabelsInLine,
  toLabels,
} from './value-labels.ts';

const long = '👍'.repeat(40);

const noGroupLabels = { first: null, second: null, third: null, fourth: null, fifth: null };

test('labels are trimmed; a group that is left out, or null, has none, and a category is left as it is', () => {
  expect(
    parseLabelChangesFromBody({ first: ' Work ', third: null, fifth: long, css: ' Styles', prompts: null }),
  ).toEqual({ ...noGroupLabels, first: 'Work', fifth: long, css: 'Styles', prompts: null });
  expect(parseLabelChangesFromBody({})).toEqual(noGroupLabels);
});

test('changes replace the labels of groups and of the named categories, and no others', () => {
  const stored = { first: 'Work', css: 'Styles', prompts: 'Questions', 'a later category': 'Later' };

  const labels = applyLabelChanges(stored, parseLabelChangesFromBody({ second: 'Home', prompts: null, css: 'Looks' }));

  expect(labels).toEqual({
    ...noGroupLabels,
    second: 'Home',
    css: 'Looks',
    prompts: null,
    'a later category': 'Later',
  });
  expect(toLabels(labels)).toEqual({ ...noLabels, second: 'Home', css: 'Looks' });
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
  [{ first: 'Work', css: 'work' }, 'Invalid css. Must differ from first and its label'],
  [{ css: 'Styles', prompts: 'STYLES' }, 'Invalid prompts. Must differ from css and its label'],
  [{ css: 'Notes' }, 'Invalid css. Must differ from notes and its label'],
  [{ css: 'First' }, 'Invalid css. Must differ from first and its label'],
  [{ first: 'stored' }, 'Invalid first. Must differ from chat-tool and its label'],
  [{ css: 'stored' }, 'Invalid css. Must differ from chat-tool and its label'],
  [{ css: '' }, `Invalid css. ${rule}`],
  [
    { first: 'Work', sixth: 'x' },
    'Unknown field sixth. Must be one of: first, second, third, fourth, fifth, css, host-town, prompts, notes, chat-tool',
  ],
  [{ ['k'.repeat(101)]: 'x' }, `Unknown field ${'k'.repeat(100)}…. Must be one of:`],
])('%j is refused', (body, reason) => {
  expect(() => applyLabelChanges({ 'chat-tool': 'Stored' }, parseLabelChangesFromBody(body))).toThrow(reason);
});

test.each([
  ['the own value in another case', { css: 'CSS', first: 'First' }],
  ['a group called as a category is, as before categories had labels', { first: 'Prompts' }],
  ['the former label of a category that gets another one', { first: 'Stored', 'chat-tool': 'Chats' }],
])('%s is accepted', (_, body) => {
  const labels = applyLabelChanges({ 'chat-tool': 'Stored' }, parseLabelChangesFromBody(body));

  expect(labels).toMatchObject(body);
});

test.each([
  ['first', 'first'],
  ['work', 'first'],
  ['styles', undefined],
  ['second', 'second'],
  ['Second', undefined],
  ['', undefined],
])('%j is the group %p', (name, group) => {
  expect(findByValueOrLabel('group', name, { ...noLabels, first: 'Work', css: 'Styles' })).toBe(
    group as 'first' | undefined,
  );
});

const labels: Labels = {
  ...noLabels,
  second: 'At home',
  third: 'at-home, too',
  css: 'My Styles',
  prompts: 'Chat tool',
};
const store = { labels: async () => labels };

test.each([
  ['second', 'second'],
  ['at HOME', 'second'],
  ['at-home', 'second'],
  ['At-home-too', 'third'],
])('%j is the group %s', async (name, group) => {
  expect(await resolveLabel('group', name, store)).toBe(group as 'second');
});

test.each([
  ['css', 'css'],
  ['my styles', 'css'],
  ['my-styles', 'css'],
  ['chat tool', 'prompts'],
  ['chat-tool', 'chat-tool'],
])('%j is the category %s', async (name, category) => {
  expect(await resolveLabel('category', name, store)).toBe(category as 'css');
});

test('a value in a line is never taken for a label that is typed alike', () => {
  expect(parseQuery('c:chat-tool,my-styles', labels).filters.category).toEqual(['chat-tool', 'css']);
});

test('another name is refused with all that there are', async () => {
  const refused = await resolveLabel('group', 'work', store).catch(String);

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
  expect(await resolveLabelsInFields({ category: 'css', group: 'first' }, counted)).toEqual({
    category: 'css',
    group: 'first',
  });
  expect(await resolveLabelsInFields({}, counted)).toEqual({});
  expect(reads).toBe(0);
  expect(await resolveLabelsInLine('git g:at-home', counted)).toBe('g:second git');
  expect(await resolveLabelsInLine('git c:my-styles', counted)).toBe('c:css git');
  expect(await resolveLabelsInFields({ category: 'My styles', limit: 1 }, counted)).toEqual({
    category: 'css',
    limit: 1,
  });
  expect(reads).toBe(3);
});
