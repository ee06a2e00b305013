/** The output of `notes completion` and `notes widget` in real shells; shells that are not installed are skipped. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shells } from '../../src/cli/commands/completion/words.ts';
import { token } from '../support/data/secrets.ts';
import { program, temporaryFolder } from '../support/service.ts';
import { keys, Terminal } from '../support/terminal/terminal.ts';

setDefaultTimeout(60_000);

type Shell = (typeof shells)[number];

const notes = [
  { title: 'Undo the last commit', category: 'bash-commands', content: 'git reset --soft HEAD~1\n\n' },
  { title: 'Two lines', category: 'bash-commands', content: 'touch ran\ntouch ran-too\n' },
  { title: 'Escapes', category: 'bash-commands', content: "echo '\x1b[201~\x07' `touch ran`; touch ran" },
  { title: 'Greeting', category: 'bash-commands', content: 'echo hello {{name}}' },
  { title: 'A prompt', category: 'prompts', content: 'Review this' },
];

/** A home with a program `notes`, notes, and startup files of the shells. */
function home() {
  const folder = temporaryFolder();
  const bin = join(folder.path, 'bin');
  const db = join(folder.path, 'notes.db');
  mkdirSync(bin);
  const quoted = program.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, 'notes'), `#!/bin/sh\nexec ${quoted} "$@"\n`);
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
  for (const { title, category, content } of notes) {
    const { exitCode, stderr } = Bun.spawnSync(['notes', 'add', title, '-c', category, '-m', content], { env });
    if (exitCode !== 0) throw new Error(stderr.toString());
  }
}

const print = (command: 'completion' | 'widget', shell: Shell) =>
  Bun.spawnSync([...program, command, shell], { env: { PATH: process.env['PATH'] ?? '' } }).stdout.toString();

const isThere = (shell: Shell) => Bun.which(shell) !== null;

/** Commands that print a shell's completions for a line. */
const offers = {
  bash: (script: string, line: readonly string[]) => [
    '--norc',
    '-c',
    `${script}
COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}; _notes; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  fish: (script: string, line: readonly string[]) => [
    '--no-config',
    '-c',
    `${script}\ncomplete -C '${line.join(' ')}'`,
  ],
};

function offered(shell: keyof typeof offers, line: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const args = offers[shell](print('completion', shell), line);
  const { stdout } = Bun.spawnSync([shell, ...args], { env });
  return stdout.toString().split('\n').filter(Boolean);
}

const first = (line: string) => line.split('\t', 1)[0];

describe('completion', () => {
  for (const shell of ['bash', 'fish'] as const) {
    describe.skipIf(!isThere(shell))(shell, () => {
      test.each([
        [['notes', 'lis'], ['list']],
        [['notes', 'add', '-c', 'pro'], ['prompts']],
        [
          ['notes', 'ls', '--group', 'f'],
          ['first', 'fourth', 'fifth'],
        ],
        [['notes', 'add', '--col'], ['--color']],
        [
          ['notes', 'widget', ''],
          ['bash', 'zsh', 'fish'],
        ],
      ])('completes %p with what the command accepts', (line, expected) => {
        using place = home();

        const words = offered(shell, line, place.env).map(first);

        expect(words.toSorted()).toEqual(expected.toSorted());
      });
    });
  }

  test.skipIf(!isThere('bash'))('bash completes values after an equals sign', () => {
    using place = home();

    const words = offered('bash', ['notes', 'add', '--category', '=', 'no'], place.env);

    expect(words).toEqual(['notes']);
  });

  test.skipIf(!isThere('bash'))('bash offers ids with titles, and inserts only the id', () => {
    using place = home();
    addNotes(place.env);

    const all = offered('bash', ['notes', 'show', ''], place.env);
    const one = offered('bash', ['notes', 'archive', '1'], place.env);
    const words = offered('bash', ['notes', 'edit', 'un'], place.env);

    expect(all).toContain('1  Undo the last commit');
    expect(all).toHaveLength(notes.length);
    expect([one, words]).toEqual([['1'], []]);
  });

  test.skipIf(!isThere('bash'))('bash shows ids at its prompt, and completes the only one left', async () => {
    using place = home();
    addNotes(place.env);
    writeFileSync(join(place.path, 'rc'), `${print('completion', 'bash')}\nPS1='ready> '`);
    await using terminal = new Terminal(['bash', '--rcfile', join(place.path, 'rc'), '-i'], { env: place.env });
    await terminal.shows('ready>');

    terminal.press('notes show \t\t');
    await terminal.shows(/^5 {2}A prompt [\s\S]*\n4 {2}Greeting/m);
    terminal.press('5\t\r');

    await terminal.shows(/notes show 5 ?\n/);
    await terminal.shows('Review this');
  });

  test.skipIf(!isThere('fish'))('fish offers ids with titles', () => {
    using place = home();
    addNotes(place.env);

    const words = offered('fish', ['notes', 'show', ''], place.env);

    expect(words).toContain('1\tUndo the last commit');
  });

  test.skipIf(!isThere('zsh'))('zsh completes commands, values and ids at its prompt', async () => {
    using place = home();
    addNotes(place.env);
    writeFileSync(
      join(place.path, '.zshrc'),
      `autoload -U compinit; compinit -u\n${print('completion', 'zsh')}\nPS1='ready> '`,
    );
    await using terminal = new Terminal(['zsh', '-i'], { env: place.env, columns: 120 });
    await terminal.shows('ready>');

    terminal.press('notes unar\t');
    await terminal.shows('notes unarchive');
    terminal.press('\x15notes add -c pro\t');
    await terminal.shows('notes add -c prompts');
    terminal.press('\x15notes show \t');

    await terminal.shows(/1 +-- Undo the last commit/);
  });
});

/** Commands that start a shell with the widget. */
const starts: Record<Shell, (folder: string, script: string) => string[]> = {
  bash: (folder, script) => {
    writeFileSync(join(folder, 'rc'), `${script}\nPS1='ready> '`);
    return ['bash', '--rcfile', join(folder, 'rc'), '-i'];
  },
  zsh: (folder, script) => {
    writeFileSync(join(folder, '.zshrc'), `${script}\nPS1='ready> '`);
    return ['zsh', '-i'];
  },
  fish: (folder, script) => {
    mkdirSync(join(folder, 'fish'), { recursive: true });
    writeFileSync(join(folder, 'fish', 'config.fish'), `${script}\nfunction fish_prompt; echo 'ready> '; end\n`);
    return ['fish', '-i'];
  },
};

function startShell(shell: Shell, place: ReturnType<typeof home>): Terminal {
  return new Terminal(starts[shell](place.path, print('widget', shell)), { env: place.env, cwd: place.path });
}

const hasRun = (place: ReturnType<typeof home>) => Bun.file(join(place.path, 'ran')).exists();

for (const shell of shells) {
  describe.skipIf(!isThere(shell))(`the widget in ${shell}`, () => {
    let place: ReturnType<typeof home>;
    beforeAll(() => {
      place = home();
      addNotes(place.env);
      return () => place[Symbol.dispose]();
    });

    test('inserts a command at the cursor on Ctrl+G, without trailing line breaks', async () => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');
      terminal.press('echo ');

      terminal.press(keys.pick);
      await terminal.shows('Search');
      terminal.press('undo\r');
      await terminal.shows('echo git reset --soft HEAD~1');
      terminal.press('-and-more\r');

      await terminal.shows(/^git reset --soft HEAD~1-and-more/m);
    });

    test('asks for the values of placeholders', async () => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');

      terminal.press(keys.pick);
      await terminal.shows('Search');
      terminal.press('greeting\r');
      await terminal.shows(/^name:/m);
      terminal.press('Ann\r');

      await terminal.shows(/^ready> echo hello Ann$/m);
      expect(terminal.screen.text).not.toContain('name:');
    });

    test('leaves the line unchanged when no value is given', async () => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');
      terminal.press('echo kept');
      await terminal.shows('echo kept');

      terminal.press(keys.pick);
      await terminal.shows('Search');
      terminal.press('greeting\r');
      await terminal.shows(/^name:/m);
      terminal.press(keys.escape);
      await terminal.shows(/^ready> echo kept$/m);
      terminal.press('-still\r');

      await terminal.shows(/^kept-still/m);
      expect(terminal.screen.text).not.toContain('name:');
    });

    test('leaves the line unchanged when nothing is picked', async () => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');
      terminal.press('echo kept');
      await terminal.shows('echo kept');

      terminal.press(keys.pick);
      await terminal.shows('Search');
      terminal.press(keys.interrupt);
      await terminal.shows('echo kept');
      terminal.press('-still\r');

      await terminal.shows(/^kept-still/m);
    });

    test.each([
      ['two lines', 'touch ran-too'],
      ['escapes', '; touch ran'],
    ])('never runs the picked text: %s', async (words, sign) => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');

      terminal.press(keys.pick);
      await terminal.shows('Search');
      terminal.press(`${words}\r`);
      await terminal.shows(new RegExp(`ready> [\\s\\S]*${sign}`)); // the picker shows it too
      for (let presses = 0; presses < 100 && !/ready>$/.test(terminal.screen.text); presses++) {
        terminal.press(keys.interrupt); // a shell that is still drawing ignores it
        await Bun.sleep(50);
      }
      terminal.press('echo all""done\r'); // by then, anything to be run has run
      await terminal.shows(/^alldone$/m);

      expect(await hasRun(place)).toBe(false);
    });

    test('stores the last command with notes last, repeatedly, and never itself', async () => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');
      const typed = `echo "it's" 'a  \\slash' | cat`;

      terminal.press(`${typed}\r`);
      await terminal.shows(/^it's a {2}\\slash$/m);
      terminal.press('notes last\r');
      await terminal.shows(/Added note \d+: echo/);
      terminal.press('notes last Its name\r');
      await terminal.shows(/Added note \d+: Its name/);

      const { stdout } = Bun.spawnSync(['notes', 'list', '--json', '-n', '2'], { env: place.env });
      const kept = { content: typed, category: 'bash-commands' };
      expect(JSON.parse(stdout.toString())).toMatchObject([
        { ...kept, title: 'Its name' },
        { ...kept, title: typed },
      ]);
    });

    test('asks before it stores a command with a secret', async () => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');
      terminal.press(`true ${token}\r`);
      await terminal.shows(/ready> ?$/);

      terminal.press('notes last\r');
      await terminal.shows(/seems to hold a GitHub token\. Store it\? +\[y\/N\]/);
      terminal.press('\r');

      await terminal.shows('it was not stored');
    });

    test('offers notes of all categories on Alt+G', async () => {
      await using terminal = startShell(shell, place);
      await terminal.shows('ready>');

      terminal.press('\x1bg');
      await terminal.shows('Search');

      await terminal.shows('A prompt');
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
