/** Imports and syncs of folders of code, snippets and Markdown from the command line. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { useNotes } from '../support/notes.ts';

describe('a folder of code', () => {
  test('becomes notes in the given category, Markdown files included', async () => {
    using here = useNotes();
    here.write('lib/button.css', '.a {}');
    here.write('lib/mixin.styl', 'a()');
    here.write('lib/README.md', '# About');
    here.write('lib/logo.png', '\0');

    const { code, stderr } = await here.notes(['import', join(here.folder, 'lib'), '--category', 'css', '--verbose']);

    const titles = (await here.all()).map(({ title, category }) => `${category}: ${title}`);
    expect([code, titles.toSorted()]).toEqual([0, ['css: README', 'css: button', 'css: mixin']]);
    expect(stderr).toContain('logo.png was left out: It is a binary file, which no format reads');
  });

  test('is followed by sync, and each file keeps its note', async () => {
    using here = useNotes();
    here.write('lib/button.css', '.a {}');
    here.write('lib/deploy.sh', 'make');
    await here.notes(['sync', join(here.folder, 'lib')]);
    here.write('lib/button.css', '.a { color: red }');

    const { stderr } = await here.notes(['sync', join(here.folder, 'lib')]);

    expect(stderr).toContain('1 changed file of 2');
    const contents = (await here.all()).map(({ category, content }) => `${category}: ${content}`);
    expect(contents.toSorted()).toEqual(['bash-commands: make', 'css: .a { color: red }']);
  });

  test('--category is refused where it means nothing', async () => {
    using here = useNotes();
    const args = ['import', here.write('a.ndjson', ''), '--category', 'css'];
    const refusals = [await here.notes(args), await here.notes([...args, '--format', 'ndjson'])];

    expect(refusals).toMatchObject([
      { code: 2, stderr: expect.stringContaining('--category is for files of code and Markdown') },
      { code: 2, stderr: expect.stringContaining('Notes in the format ndjson have their own') },
    ]);
  });
});

test('an edited VS Code snippet updates its note', async () => {
  using here = useNotes();
  const snippets = (body: string) => JSON.stringify({ One: { prefix: 'o', body }, Two: { prefix: 't', body: 'two' } });
  const file = here.write('User/snippets/css.json', snippets('one'));
  await here.notes(['import', file]);
  here.write('User/snippets/css.json', snippets('one, edited'));

  const { stdout } = await here.notes(['import', join(here.folder, 'User/snippets'), '--json']);

  expect(JSON.parse(stdout)).toMatchObject({ added: 0, updated: 1, unchanged: 1 });
  const notes = (await here.all()).map(({ title, content, category }) => [title, content, category].join(' | '));
  expect(notes.toSorted()).toEqual(['One (o) | one, edited | css', 'Two (t) | two | css']);
});

test('an edited Raycast snippet updates its note, also from an export file with another name', async () => {
  using here = useNotes();
  const export1 = here.write('one.json', JSON.stringify([{ name: 'Bye', text: 'Best', keyword: '!b' }]));
  const export2 = here.write('two.json', JSON.stringify([{ name: 'Bye', text: 'Best, Ada', keyword: '!b' }]));
  await here.notes(['import', export1]);

  const { stdout } = await here.notes(['import', export2, '--json']);

  expect(JSON.parse(stdout)).toMatchObject({ added: 0, updated: 1 });
  expect(await here.all()).toMatchObject([{ title: 'Bye (!b)', content: 'Best, Ada' }]);
});

test('texts are read in UTF-8 and UTF-16, and other encodings are named with a way to convert them', async () => {
  using here = useNotes();
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const script = here.write('script.ps1', utf16('Write-Host "hi"\r\n'));
  here.write('all/memo.md', utf16('# Grüße'));
  here.write('all/todo.txt', 'milk');
  here.write('all/old.md', Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65));
  here.write('all/old.txt', Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65));

  const single = await here.notes(['import', script]);
  const folder = await here.notes(['import', join(here.folder, 'all')]);

  const contents = (await here.all()).map(({ title, content }) => `${title}: ${content}`);
  expect(contents.toSorted()).toEqual(['memo: # Grüße', 'script: Write-Host "hi"\r\n', 'todo: milk']);
  expect([single.code, folder.code]).toEqual([0, 1]);
  for (const name of ['old.md', 'old.txt'])
    expect(folder.stderr).toContain(`${name}: It is neither in UTF-8 nor in UTF-16 with a byte order mark. Convert it`);
});
