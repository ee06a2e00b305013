/** The output of `notes completion` and `notes widget` in real shells; shells that are not installed are skipped. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shells } from '../../src/cli/commands/completion/completion-scripts.ts';
import { token } from '../support/data/secrets.ts';
import { createPortableNote } from '../support/sample-notes.ts';
import { createTemporaryFolder, program, programInShell } from '../support/service.ts';
import { keys, Terminal } from '../support/terminal/terminal.ts';

type Shell = (typeof shells)[number];

const notes = [
  { title: 'Undo the last commit', category: 'bash-commands', content: 'git reset --soft HEAD~1\n\n' },
  { title: 'Two lines', category: 'bash-commands', content: 'touch ran\ntouch ran-too\n' },
  { title: 'Escapes', category: 'bash-commands', content: "echo '\x1b[201~\x07' `touch ran`; touch ran" },
  { title: 'Greeting', category: 'bash-commands', content: 'echo hello {{name}}' },
  { title: 'A prompt', category: 'prompts', content: 'Review this' },
] as const;

/** A home with a program `notes`, notes, and startup files of the shells. */
function home() {
  const folder = createTemporaryFolder();
  const bin = join(folder.path, 'bin');
  const db = join(folder.path, 'notes.db');
  mkdirSync(bin);
  writeFileSync(join(bin, 'notes'), `#!/bin/sh\nexec ${programInShell} "$@"\n`);
  chmodSync(join(bin, 'notes'), 0o755);
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder.path,
    XDG_CONFIG_HOME: folder.path,
    XDG_DATA_HOME: folder.path,
    DATABASE_URL: `sqlite:${db}`,
    PS1: 'ready> ',
  };
  return { ...folder, [Symbol.dispose]: folder[Symbol.dispose], env };
}

function addNotes(env: Readonly<Record<string, string>>): void {
  const lines = notes.map((note, at) => JSON.stringify(createPortableNote(at + 1, note))).join('\n');
  const { exitCode, stderr } = Bun.spawnSync(['notes', 'import', '-'], { env, stdin: Buffer.from(lines) });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

const print = (command: 'completion' | 'widget', shell: Shell) =>
  Bun.spawnSync([...program, command, shell], { env: { PATH: process.env['PATH'] ?? '' } }).stdout.toString();

const isThere = (shell: Shell) => Bun.which(shell) !== null;

/** Commands that start a shell with a script. */
const starts: Record<Shell, (folder: string, script: string) => string[]> = {
  bash: (folder, script) => {
    writeFileSync(join(folder, 'rc'), `${script}\nPS1='ready> '`);
    return ['bash', '--rcfile', join(folder, 'rc'), '-i'];
  },
  zsh: (folder, script) => {
    writeFileSync(join(folder, '.zshrc'), `autoload -U compinit; compinit -u -D\n${script}\nPS1='ready> '`);
    return ['zsh', '-i'];
  },
  fish: (folder, script) => {
    mkdirSync(join(folder, 'fish'), { recursive: true });
    writeFileSync(join(folder, 'fish', 'config.fish'), `${script}\nfunction fish_prompt; echo 'ready> '; end\n`);
    return ['fish', '-i'];
  },
};

const startShell = (command: 'completion' | 'widget', shell: Shell, place: ReturnType<typeof home>) =>
  new Terminal(starts[shell](place.path, print(command, shell)), { env: place.env, cwd: place.path, columns: 120 });

for (const shell of shells) {
  test.skipIf(!isThere(shell))(`${shell} completes commands, values, ids and titles at its prompt`, async () => {
    using place = home();
    addNotes(place.env);
    await using terminal = startShell('completion', shell, place);
    await terminal.waitForText('ready>');

    terminal.press('notes unar\t');
    await terminal.waitForText(/notes unarchive/);
    terminal.press('\x15notes add --color inf\t');
    await terminal.waitForText(/notes add --color info/);
    if (shell === 'bash') {
      terminal.press('\x15notes add --category=no\t');
      await terminal.waitForText('notes add --category=notes');
    }
    terminal.press('\x15notes show \t\t');
    await terminal.waitForText(/1\W.*Undo the last commit/);
    terminal.press('\x15\x15notes show A\t');
    await terminal.waitForText(/notes show A\\ prompt/);
    terminal.press('\r');

    await terminal.waitForText('Review this');
  });
}

for (const shell of shells) {
  describe.skipIf(!isThere(shell))(`the widget in ${shell}`, () => {
    let place: ReturnType<typeof home>;
    beforeAll(() => {
      place = home();
      addNotes(place.env);
      return () => place[Symbol.dispose]();
    });

    test('searches commands for the line on Ctrl+G, and replaces it, without trailing line breaks', async () => {
      await using terminal = startShell('widget', shell, place);
      await terminal.waitForText('ready>');
      terminal.press('last');

      terminal.press(keys.pick);
      await terminal.waitForText('Search: last');
      terminal.press(' commit\r');
      await terminal.waitForText(/^ready> git reset --soft HEAD~1$/m);
      terminal.press('\x01echo \r');

      await terminal.waitForText(/^git reset --soft HEAD~1$/m);
    });

    test('inserts any note at the cursor on Alt+G, and asks for the values of placeholders', async () => {
      await using terminal = startShell('widget', shell, place);
      await terminal.waitForText('ready>');
      terminal.press('echo ');

      terminal.press('\x1bg');
      await terminal.waitForText('Search');
      terminal.press('a prompt\r');
      await terminal.waitForText(/^ready> echo Review this$/m);
      terminal.press('\x15');
      await terminal.waitForText(/^ready>$/m);
      terminal.press(keys.pick);
      await terminal.waitForText('Search');
      terminal.press('greeting\r');
      await terminal.waitForText(/^name:/m);
      terminal.press('Ann\r');

      await terminal.waitForText(/^ready> echo hello Ann$/m);
      expect(terminal.screenText).not.toContain('name:');
    });

    test('leaves the line unchanged when no value is given, or nothing is picked', async () => {
      await using terminal = startShell('widget', shell, place);
      await terminal.waitForText('ready>');
      terminal.press('echo');
      await terminal.waitForText('ready> echo');

      terminal.press(keys.pick);
      await terminal.waitForText('Search: echo');
      terminal.press(' greeting\r');
      await terminal.waitForText(/^name:/m);
      terminal.press(keys.escape);
      await terminal.waitForText(/^ready> echo\b/m); // fish suggests more
      terminal.press(' kept');
      await terminal.waitForText('echo kept');
      terminal.press(keys.pick);
      await terminal.waitForText('Search: echo kept');
      terminal.press(keys.interrupt);
      await terminal.waitForText(/^ready> echo kept/m);
      terminal.press('-still\r');

      await terminal.waitForText(/^kept-still/m);
      expect(terminal.screenText).not.toContain('name:');
    });

    test.each([
      ['two lines', 'touch ran-too'],
      ['escapes', '; touch ran'],
    ])('never runs the picked text: %s', async (words, sign) => {
      await using terminal = startShell('widget', shell, place);
      await terminal.waitForText('ready>');

      terminal.press(keys.pick);
      await terminal.waitForText('Search');
      terminal.press(`${words}\r`);
      await terminal.waitForText(new RegExp(`ready> [\\s\\S]*${sign}`)); // the picker shows it too
      while (!/ready>$/.test(terminal.screenText)) {
        terminal.press(keys.interrupt); // a shell that is still drawing ignores it
        await Bun.sleep(50);
      }
      terminal.press('echo all""done\r'); // by then, anything to be run has run
      await terminal.waitForText(/^alldone$/m);

      expect(existsSync(join(place.path, 'ran'))).toBe(false);
    });

    test('stores the last command with notes last, repeatedly, and never itself', async () => {
      await using terminal = startShell('widget', shell, place);
      await terminal.waitForText('ready>');
      const typed = `echo "it's" 'a  \\slash' | cat`;

      terminal.press(`${typed}\r`);
      await terminal.waitForText(/^it's a {2}\\slash$/m);
      terminal.press('notes last\r');
      await terminal.waitForText(/Added note \d+: echo/);
      terminal.press('notes last Its name\r');
      await terminal.waitForText(/Added note \d+: Its name/);

      const { stdout } = Bun.spawnSync(['notes', 'list', '--json', '-n', '2'], { env: place.env });
      const kept = { content: typed, category: 'bash-commands' };
      expect(JSON.parse(stdout.toString())).toMatchObject([
        { ...kept, title: 'Its name' },
        { ...kept, title: typed },
      ]);
    });

    test('asks before it stores a command with a secret', async () => {
      await using terminal = startShell('widget', shell, place);
      await terminal.waitForText('ready>');
      terminal.press(`true ${token}\r`);
      await terminal.waitForText(/ready> ?$/);

      terminal.press('notes last\r');
      await terminal.waitForText(/seems to hold a GitHub token\. Store it\? +\[y\/N\]/);
      terminal.press('\r');

      await terminal.waitForText('it was not stored');
    });
  });
}

test('without the variables of the widget, notes last says what is missing', () => {
  using place = home();

  const bare = Bun.spawnSync(['notes', 'last'], { env: place.env });
  const empty = Bun.spawnSync(['notes', 'last'], { env: { ...place.env, NOTES_LAST_COMMAND: '' } });

  expect([bare.exitCode, bare.stderr.toString()]).toEqual([2, expect.stringContaining('eval "$(notes widget bash)"')]);
  expect([empty.exitCode, empty.stderr.toString()]).toEqual([2, expect.stringContaining('holds no command')]);
});
