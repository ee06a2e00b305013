import { expect, test } from 'bun:test';
import { fieldsInValues, groupNamed, type Labels, lineInValues, noLabels } from './labels.ts';

const labels: Labels = { ...noLabels, second: 'At home', third: 'at-home, too' };
const store = { labels: async () => labels };

test.each([
  ['second', 'second'],
  ['at HOME', 'second'],
  ['at-home', 'second'],
  ['At-home-too', 'third'],
])('%j is the group %s', async (name, group) => {
  expect(await groupNamed(name, store)).toBe(group as 'second');
});

test('another name is refused with all that there are', async () => {
  const refused = await groupNamed('work', store).catch(String);

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

  expect(await lineInValues('git c:css g:first', counted)).toBe('git c:css g:first');
  expect(await fieldsInValues({ group: 'first' }, counted)).toEqual({ group: 'first' });
  expect(await fieldsInValues({}, counted)).toEqual({});
  expect(reads).toBe(0);
  expect(await lineInValues('git g:at-home', counted)).toBe('g:second git');
  expect(reads).toBe(1);
});
