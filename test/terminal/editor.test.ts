import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/service.ts';
import { keys, Terminal } from '../support/terminal/terminal.ts';

const part = join(import.meta.dir, 'part.ts');

/** A folder for temporary files, with an editor that runs the script on "$file". */
function desk(script = ':', name = 'editor') {
  const folder = createTemporaryFolder();
  const editor = join(folder.path, name);
  writeFileSync(editor, `#!/bin/sh\nfor file; do :; done\n${script}\n`);
  chmodSync(editor, 0o755);
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path, TMPDIR: folder.path, TERM: 'xterm-256color' };
  const left = () => readdirSync(folder.path).filter((entry) => entry.startsWith('notes-'));
  return { path: folder.path, editor, env, left, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function edit(text: string, env: Readonly<Record<string, string>>) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, part, 'editTextInEditor', text], {
    env,
    stdin: null,
  });
  const line = stdout.toString();
  return { code: exitCode, edited: line === '' ? undefined : JSON.parse(line), stderr: stderr.toString() };
}

const keptPath = (stderr: string) => /Your text is kept in (.+)/.exec(stderr)?.[1]?.trim() ?? '';

describe('the editor', () => {
  test.each([[['EDITOR']], [['EDITOR', 'VISUAL']], [['EDITOR', 'VISUAL', 'NOTES_EDITOR']]])(
    'is the last one of %p',
    (names) => {
      using place = desk('printf %s "$1" > "$file"');
      const variables = Object.fromEntries(names.map((name) => [name, `${place.editor} ${name}`]));

      const { edited } = edit('before', { ...place.env, ...variables });

      expect(edited.text).toBe(names.at(-1));
    },
  );

  test('may have a path with spaces, and arguments in quotes', () => {
    using place = desk('printf %s "$1" > "$file"', 'my editor');

    const { edited } = edit('before', { ...place.env, EDITOR: `'${place.editor}' "two words"` });

    expect(edited.text).toBe('two words');
  });

  test('gets the text byte for byte, in a file for its owner only, which is removed at the end', () => {
    using place = desk('stat -c %a "$file" "$(dirname "$file")" >&2; od -An -c "$file" >&2');

    const { edited, stderr } = edit('a\r\nb\tc', { ...place.env, EDITOR: place.editor });

    expect(edited.text).toBe('a\r\nb\tc');
    expect(stderr).toMatch(/^600\n700\n +a +\\r +\\n +b +\\t +c\n$/);
    expect(edited.path).toEndWith('/nsafe-name.css');
    expect(place.left()).toEqual([]);
  });

  test('leaves the file until it is discarded', () => {
    using place = desk('echo after > "$file"');

    const { edited } = edit('before', { ...place.env, EDITOR: place.editor, KEEP: '1' });

    expect(edited.text).toBe('after\n');
    expect(readFileSync(edited.path, 'utf8')).toBe('after\n');
  });

  test.each([
    ['fails', 'echo after > "$file"; exit 3', 1, 'exited with 3'],
    ['writes invalid UTF-8', 'printf "\\377" > "$file"', 2, 'is not UTF-8'],
  ])('that %s loses nothing that was written', (_, script, expected, sentence) => {
    using place = desk(script);

    const { code, stderr } = edit('before', { ...place.env, EDITOR: place.editor });

    expect(code).toBe(expected);
    expect(stderr).toContain(sentence);
    expect(existsSync(keptPath(stderr))).toBe(true);
  });

  test.each([
    ['leaves another copy', 'echo rescued > "$file.save"; exit 1', 'nsafe-name.css.save'],
    ['leaves the file under another name', 'mv "$file" "$file.new"', 'nsafe-name.css.new'],
    ['empties it', ': > "$file"; exit 1', ''],
  ])('that fails and %s loses nothing', (_, script, name) => {
    using place = desk(script);

    const { code, stderr } = edit('before', { ...place.env, EDITOR: place.editor });

    expect(code).toBe(1);
    if (name === '') expect(existsSync(keptPath(stderr))).toBe(true);
    else expect(readdirSync(keptPath(stderr))).toContain(name);
  });

  test.each([
    ['fails without a change', 'exit 1', 'exited with 1'],
    ['removes the file', 'rm "$file"', 'cannot be read'],
  ])('that %s leaves no file behind', (_, script, sentence) => {
    using place = desk(script);

    const { code, stderr } = edit('before', { ...place.env, EDITOR: place.editor });

    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
    expect(place.left()).toEqual([]);
  });

  test('is not started without a setting and a terminal', () => {
    using place = desk();

    const { code, stderr } = edit('before', place.env);

    expect(code).toBe(2);
    expect(stderr).toContain('The editor needs a terminal');
    expect(place.left()).toEqual([]);
  });

  test('must be set where none is found', async () => {
    using place = desk();
    await using terminal = new Terminal([process.execPath, part, 'editTextInEditor', 'x'], {
      env: { ...place.env, PATH: '/none' },
    });

    const code = await terminal.waitForExitCode();

    expect(code).toBe(1);
    expect(terminal.screenText).toContain('No editor found. Set EDITOR');
  });
});

describe('Ctrl+C in the editor', () => {
  test('goes to the editor', async () => {
    using place = desk(`trap 'echo caught' INT\necho ready\nread line\nread line\nprintf %s "$line" > "$file"`);
    await using terminal = new Terminal([process.execPath, part, 'editTextInEditor', 'before'], {
      env: { ...place.env, EDITOR: place.editor },
    });
    await terminal.waitForText('ready');

    terminal.press(keys.interrupt);
    await terminal.waitForText('caught');
    terminal.press('after\r');
    terminal.press('after\r');

    await terminal.waitForText('"text":"after"');
    expect(await terminal.waitForExitCode()).toBe(0);
  });

  test('that ends it keeps what was written, and ends with 130', async () => {
    using place = desk('echo after > "$file"; echo ready; while :; do sleep 0.1; done');
    await using terminal = new Terminal([process.execPath, part, 'editTextInEditor', 'before'], {
      env: { ...place.env, EDITOR: place.editor },
      columns: 200,
    });
    await terminal.waitForText('ready');

    terminal.press(keys.interrupt);
    const code = await terminal.waitForExitCode();

    expect(code).toBe(130);
    expect(readFileSync(keptPath(terminal.screenText), 'utf8')).toBe('after\n');
  });
});
