/** Imports and syncs of folders of code, snippets and Markdown from the command line. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTestCli } from '../support/test-cli.ts';

describe('a folder of code', () => {
  test('becomes notes in the given category, Markdown files included', async () => {
    using cli = createTestCli();
    cli.writeFile('lib/button.css', '.a {}');
    cli.writeFile('lib/mixin.styl', 'a()');
    cli.writeFile('lib/README.md', '# About');
    cli.writeFile('lib/logo.png', '\0');

    const { code, stderr } = await cli.run(['import', join(cli.folder, 'lib'), '--category', 'css', '--verbose']);

    const titles = (await cli.readAllNotes()).map(({ title, category }) => `${category}: ${title}`);
    expect([code, titles.toSorted()]).toEqual([0, ['css: About', 'css: button', 'css: mixin']]);
    expect(stderr).toContain('logo.png was left out: It is a binary file, which no format reads');
  });

  test('is followed by sync, and each file keeps its note', async () => {
    using cli = createTestCli();
    cli.writeFile('lib/button.css', '.a {}');
    cli.writeFile('lib/deploy.sh', 'make');
    await cli.run(['sync', join(cli.folder, 'lib')]);
    cli.writeFile('lib/button.css', '.a { color: red }');

    const { stderr } = await cli.run(['sync', join(cli.folder, 'lib')]);

    expect(stderr).toContain('1 changed file of 2');
    const contents = (await cli.readAllNotes()).map(({ category, content }) => `${category}: ${content}`);
    expect(contents.toSorted()).toEqual(['bash-commands: make', 'css: .a { color: red }']);
  });

  test('--category is refused where it means nothing', async () => {
    using cli = createTestCli();
    const args = ['import', cli.writeFile('a.ndjson', ''), '--category', 'css'];
    const refusals = [await cli.run(args), await cli.run([...args, '--format', 'ndjson'])];

    expect(refusals).toMatchObject([
      { code: 2, stderr: expect.stringContaining('--category is for files of code and Markdown') },
      { code: 2, stderr: expect.stringContaining('Notes in the format ndjson have their own') },
    ]);
  });
});

test('an edited VS Code snippet updates its note', async () => {
  using cli = createTestCli();
  const snippets = (body: string) => JSON.stringify({ One: { prefix: 'o', body }, Two: { prefix: 't', body: 'two' } });
  const file = cli.writeFile('User/snippets/css.json', snippets('one'));
  await cli.run(['import', file]);
  cli.writeFile('User/snippets/css.json', snippets('one, edited'));

  const { stdout } = await cli.run(['import', join(cli.folder, 'User/snippets'), '--json']);

  expect(JSON.parse(stdout)).toMatchObject({ added: 0, updated: 1, unchanged: 1 });
  const notes = (await cli.readAllNotes()).map(({ title, content, category }) =>
    [title, content, category].join(' | '),
  );
  expect(notes.toSorted()).toEqual(['One (o) | one, edited | css', 'Two (t) | two | css']);
});

test('an edited Raycast snippet updates its note, also from an export file with another name', async () => {
  using cli = createTestCli();
  const export1 = cli.writeFile('one.json', JSON.stringify([{ name: 'Bye', text: 'Best', keyword: '!b' }]));
  const export2 = cli.writeFile('two.json', JSON.stringify([{ name: 'Bye', text: 'Best, Ada', keyword: '!b' }]));
  await cli.run(['import', export1]);

  const { stdout } = await cli.run(['import', export2, '--json']);

  expect(JSON.parse(stdout)).toMatchObject({ added: 0, updated: 1 });
  expect(await cli.readAllNotes()).toMatchObject([{ title: 'Bye (!b)', content: 'Best, Ada' }]);
});

test('texts are read in UTF-8 and UTF-16, and other encodings are named with a way to convert them', async () => {
  using cli = createTestCli();
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const script = cli.writeFile('script.ps1', utf16('Write-Host "hi"\r\n'));
  cli.writeFile('all/memo.md', utf16('# Grüße'));
  cli.writeFile('all/todo.txt', 'milk');
  cli.writeFile('all/old.md', Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65));
  cli.writeFile('all/old.txt', Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65));

  const single = await cli.run(['import', script]);
  const folder = await cli.run(['import', join(cli.folder, 'all')]);

  const contents = (await cli.readAllNotes()).map(({ title, content }) => `${title}: ${content}`);
  expect(contents.toSorted()).toEqual(['Grüße: # Grüße', 'script: Write-Host "hi"\r\n', 'todo: milk']);
  expect([single.code, folder.code]).toEqual([0, 1]);
  for (const name of ['old.md', 'old.txt'])
    expect(folder.stderr).toContain(`${name}: It is neither in UTF-8 nor in UTF-16 with a byte order mark. Convert it`);
});
