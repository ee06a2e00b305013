/** `notes labels`, and group labels in the flags of other commands. */
import { expect, test } from 'bun:test';
import { useNotes } from '../support/notes.ts';
import { startService } from '../support/service.ts';

test('labels are set, shown, and removed, several at once', async () => {
  using store = useNotes();

  const none = await store.notes(['labels']);
  const set = await store.notes(['labels', ' first=Work', 'second= At home ']);
  const changed = await store.notes(['labels', 'work=', 'third=a=b', '--json']);

  expect(none).toMatchObject({ code: 0, stdout: 'first\t\nsecond\t\nthird\t\nfourth\t\nfifth\t\n' });
  expect(set.stdout).toBe('first\tWork\nsecond\tAt home\nthird\t\nfourth\t\nfifth\t\n');
  expect(JSON.parse(changed.stdout)).toEqual({
    first: null,
    second: 'At home',
    third: 'a=b',
    fourth: null,
    fifth: null,
  });
});

test.each([
  ['sixth=x', '"sixth=x" must be <group>=<label>, where <group> is one of first, second, third, fourth, fifth'],
  ['first=Third', 'Invalid first. Must differ from third and its label'],
])('the label %j is refused', async (pair, reason) => {
  using store = useNotes();

  expect(await store.notes(['labels', pair])).toEqual({ code: 2, stdout: '', stderr: `notes: ${reason}\n` });
});

test('a label names its group in flags, also through a service, and values still work', async () => {
  using store = useNotes();
  await using service = await startService(store.env);
  await store.notes(['labels', 'third=Work']);

  await store.notes(['add', 'one', '-m', 'x', '-g', 'WORK']);
  await store.notes(['add', 'two', '-m', 'x', '-g', 'second']);
  const listed = await store.json('list', '-g', 'work,fifth', '--url', service.url);
  const searched = await store.json('list', 'ONE', 'g:work', '--url', service.url);
  const shown = await store.notes(['show', 'g:work']);
  await store.notes(['edit', '--where-group', 'work', '-g', 'fourth', '--yes']);
  const moved = await store.note('1');
  const wrong = await store.notes(['list', '-g', 'play']);

  expect(listed).toMatchObject([{ title: 'one', group: 'third' }]);
  expect(searched).toEqual(listed);
  expect(shown.stdout).toContain('x');
  expect(moved.group).toBe('fourth');
  expect(wrong).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "notes: Option '-g, --group <groups>': Invalid group. Must be one of: first, second, third, Work, fourth, fifth\n",
  });
});
