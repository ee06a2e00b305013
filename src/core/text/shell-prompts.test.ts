import { expect, test } from 'bun:test';
import { removePromptsAndFinalLineEnds } from './shell-prompts.ts';

test.each([
  ['a prompt and the last line end are left out', '$ git status\n', 'git status'],
  ['each command of several', '$ cd /tmp\r\n$ ls\r\n\r\n', 'cd /tmp\r\nls'],
  [
    'a text without prompts keeps all but its end',
    'for f in *; do\n  echo "$f" > x\ndone\n',
    'for f in *; do\n  echo "$f" > x\ndone',
  ],
  ['a comment stays a comment', '# rm -rf /\n$ ls # all', '# rm -rf /\nls # all'],
  ['a command that goes on', '$ docker run \\\n>   -it \\\n> alpine\n', 'docker run \\\n  -it \\\nalpine'],
  ['a loop', '$ for f in *; do\n>   echo "$f"\n> done', 'for f in *; do\n  echo "$f"\ndone'],
  ['output below a command that has ended', '$ npm test\n> app@1.0.0 test\n> tsc', 'npm test\n> app@1.0.0 test\n> tsc'],
  ['a redirection of its own', 'cat a |\n> b', 'cat a |\n> b'],
  ['output that cannot be told from commands', '$ uname\nLinux\n', 'uname\nLinux'],
  ['a here-document with its prompts', '$ cat <<EOF\n> $ 5\n> EOF\n$ ls', 'cat <<EOF\n$ 5\nEOF\nls'],
  ['a here-document without', "cat <<'EOF'\n$ 5\nEOF\n$ ls", "cat <<'EOF'\n$ 5\nEOF\nls"],
  [
    'a here-string and a shift are no here-documents',
    '$ cat <<<EOF\n$ echo $((1 << n))',
    'cat <<<EOF\necho $((1 << n))',
  ],
  ['a variable is no prompt', '$HOME/bin/x\n$', '$HOME/bin/x\n$'],
  ['a prompt that is not at the beginning', '  $ ls', '  $ ls'],
  ['nothing', '', ''],
])('%s', (_, text, runs) => {
  expect(removePromptsAndFinalLineEnds(text)).toBe(runs);
});
