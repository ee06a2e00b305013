/** `notes labels`, and group labels in the flags of other commands. */
import { expect, test } from 'bun:test';
import { noLabels } from '../../src/core/value-labels.ts';
import { startService } from '../support/service.ts';
import { createTestCli } from '../support/test-cli.ts';

test('labels are set, shown, and removed, several at once', async () => {
  using cli = createTestCli();

  const none = await cli.run(['labels']);
  const set = await cli.run(['labels', ' first=Work', 'second= At home ']);
  const changed = await cli.run(['labels', 'work=', 'third=a=b', '--json']);

  expect(none).toMatchObject({
    code: 0,
    stdout:
      'first\t\nsecond\t\nthird\t\nfourth\t\nfifth\t\n' +
      'css\t\nhost-town\t\nprompts\t\nnotes\t\nchat-tool\t\neditor-chats\t\nbash-commands\t\n',
  });
  expect(set.stdout).toStartWith('first\tWork\nsecond\tAt home\nthird\t\nfourth\t\nfifth\t\ncss\t\n');
  expect(JSON.parse(changed.stdout)).toEqual({ ...noLabels, second: 'At home', third: 'a=b' });
});

test('labels of categories are set beside those of groups, and name their category in flags and searches', async () => {
  using cli = createTestCli();
  await using service = await startService(cli.env);

  await cli.run(['labels', 'third=Work', 'css=My Styles', '--url', service.url]);
  const changed = JSON.parse((await cli.run(['labels', 'my styles=Styles', '--json'])).stdout);
  await cli.run(['add', 'one', '-m', 'x', '-c', 'STYLES', '-g', 'work']);
  await cli.run(['add', 'two', '-m', 'x', '-c', 'prompts']);
  const listed = await cli.runJson('list', '-c', 'styles,bash-commands', '--url', service.url);
  const searched = await cli.runJson('list', 'ONE', 'c:styles', 'g:work', '--url', service.url);
  await cli.run(['edit', '--where-category', 'styles', '-c', 'notes', '--yes']);
  const moved = await cli.readNote('1');
  const wrong = await cli.run(['list', '-c', 'play']);

  expect(changed).toEqual({ ...noLabels, third: 'Work', css: 'Styles' });
  expect(listed).toMatchObject([{ title: 'one', category: 'css', group: 'third' }]);
  expect(searched).toEqual(listed);
  expect(moved.category).toBe('notes');
  expect(wrong).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "notes: Option '-c, --category <categories>': Invalid category. Must be one of: " +
      'css, Styles, host-town, prompts, notes, chat-tool, editor-chats, bash-commands\n',
  });
});

test.each([
  [
    'sixth=x',
    '"sixth=x" must be <value>=<label>, where <value> is one of first, second, third, fourth, fifth, ' +
      'css, host-town, prompts, notes, chat-tool, editor-chats, bash-commands',
  ],
  ['first=Third', 'Invalid first. Must differ from third and its label'],
])('the label %j is refused', async (pair, reason) => {
  using cli = createTestCli();

  expect(await cli.run(['labels', pair])).toEqual({ code: 2, stdout: '', stderr: `notes: ${reason}\n` });
});

test('a label names its group in flags, also through a service, and values still work', async () => {
  using cli = createTestCli();
  await using service = await startService(cli.env);
  await cli.run(['labels', 'third=Work']);

  await cli.run(['add', 'one', '-m', 'x', '-g', 'WORK']);
  await cli.run(['add', 'two', '-m', 'x', '-g', 'second']);
  const listed = await cli.runJson('list', '-g', 'work,fifth', '--url', service.url);
  const searched = await cli.runJson('list', 'ONE', 'g:work', '--url', service.url);
  const shown = await cli.run(['show', 'g:work']);
  await cli.run(['edit', '--where-group', 'work', '-g', 'fourth', '--yes']);
  const moved = await cli.readNote('1');
  const wrong = await cli.run(['list', '-g', 'play']);

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
