import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith, word } from '../../../../test/fixtures/words.ts';

describe("navi's cheatsheets", () => {
  test('become a note for each command, with its tags and what its variables are', async () => {
    const { format, notes, rest } = await readFixture('navi');

    expect(format).toBe('navi');
    expect(notes.map(({ title, content }) => [title, content])).toEqual([
      ['git status', 'git status\n# git, code'],
      [
        'Change the branch',
        "git checkout {{branch}}\n# git, code\n# branch: git branch --list | awk '{print $NF}' --- --column 1",
      ],
      [
        'Save a part of the work',
        'cd {{folder}}; \\\n    git stash push -m "{{message}}" -- {{pathspec}}\n# Of the two words the second one counts\n# git, code\n# folder: fd --type d . <root>\n# root: echo ~',
      ],
      [
        'Show <branch> in 中文',
        "git log {{branch}} --format='%h <%ae>'\n# git, code\n# branch: git branch --list | awk '{print $NF}' --- --column 1",
      ],
      [
        'Log of a container',
        "docker logs {{container_id}} | grep {{branch}}\n# docker\n# branch: git branch --list | awk '{print $NF}' --- --column 1",
      ],
      ['Say hello', 'echo {{name}}\n# shell'],
    ]);
    expect(new Set(notes.map(({ category }) => category))).toEqual(new Set(['bash-commands']));
    expect(rest).toEqual([
      'left out | “unused: ls” of git.cheat | No command uses this variable',
      'left out | “Nothing to run” of git.cheat | It has no text',
    ]);
  });

  test('are recognized by their content', async () => {
    const readings = await Promise.all([
      readText('a.cheat', '; mine\n\n% a\n\n# b\nc\n'),
      readText('a.cheat', 'no tags\n'),
      readText('letter.tex', '% a comment of TeX\n# b\nc\n'),
    ]);

    expect(readings.map(({ format }) => format === 'navi')).toEqual([true, false, false]);
  });

  test('lose no word', async () => {
    const line = textWith(`<${word}>`, '<x>', '#').map((text) => text.replace(/[\r\n]+/g, ' '));
    const lines = fc.tuple(fc.constantFrom('', '# ', '$ x: ', `$ ${word}: `), line).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(lines, { maxLength: 12 }), async (all) => {
        const { text, words } = numbered(['% a', 'first', ...all, '% b', '# last', 'last <x>'].join('\n'));

        expect(missing(words, await readText('a.cheat', text))).toEqual([]);
      }),
    );
  });
});
