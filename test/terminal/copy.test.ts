import { describe, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/service.ts';
import { Terminal } from '../support/terminal/terminal.ts';

const part = join(import.meta.dir, 'part.ts');
const text = 'line one\r\nline two — é日本 $HOME `x`\n';

/** A folder for PATH with programs that save their input, or fail. */
function tools(names: readonly string[], code = 0) {
  const folder = createTemporaryFolder();
  for (const name of names) {
    const script = `#!/bin/sh\nPATH=/usr/bin:/bin\necho "$LC_ALL" > ${join(folder.path, `${name}.locale`)}\ncat > ${join(folder.path, `${name}.taken`)}\nexit ${code}\n`;
    writeFileSync(join(folder.path, name), script);
    chmodSync(join(folder.path, name), 0o755);
  }
  const taken = (name: string) => Bun.file(join(folder.path, `${name}.taken`)).text();
  const locale = (name: string) => Bun.file(join(folder.path, `${name}.locale`)).text();
  return { PATH: folder.path, taken, locale, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function run(env: Readonly<Record<string, string>>, copied = text) {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, part, 'copy', copied], { env, stdin: null });
  return { code: exitCode, stderr: stderr.toString() };
}

describe('a text is copied, byte for byte, by', () => {
  test.each([
    ['wl-copy', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }],
    ['xclip', { DISPLAY: ':0' }],
    ['tmux', { TMUX: '/tmp/tmux-0/default,1,0' }],
  ])('%s with %p', async (name, env) => {
    using there = tools(['wl-copy', 'xclip', 'xsel', 'tmux']);

    const result = run({ PATH: there.PATH, ...env });

    expect(result).toEqual({ code: 0, stderr: `Copied by ${name}\n` });
    expect(await there.taken(name)).toBe(text);
  });

  test('the program that is installed', async () => {
    using there = tools(['xsel']);

    const result = run({ PATH: there.PATH, DISPLAY: ':0' });

    expect(result).toEqual({ code: 0, stderr: 'Copied by xsel\n' });
    expect(await there.taken('xsel')).toBe(text);
  });
});

test('pbcopy reads UTF-8 in any locale', async () => {
  using there = tools(['pbcopy']);

  const result = run({ PATH: there.PATH, LC_ALL: 'C' });

  expect(result).toEqual({ code: 0, stderr: 'Copied by pbcopy\n' });
  expect(await there.locale('pbcopy')).toBe('en_US.UTF-8\n');
  expect(await there.taken('pbcopy')).toBe(text);
});

test('where no program is installed or works, it says what to do, and ends with 1', () => {
  using failing = tools(['xclip'], 1);

  const result = run({ PATH: failing.PATH, DISPLAY: ':0' });

  expect(result.code).toBe(1);
  expect(result.stderr).toContain('Install wl-clipboard, xclip or xsel, or use "notes show --raw 1"');
});

describe('the terminal', () => {
  const open = (env: Readonly<Record<string, string>>, copied = text) =>
    new Terminal([process.execPath, part, 'copy', copied], { env: { PATH: '/nonexistent', ...env } });
  const sequence = `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;

  test.each([
    ['itself', {}, sequence],
    ['in tmux', { TMUX: 'x' }, `\x1bPtmux;\x1b${sequence}\x1b\\`],
    ['in screen', { STY: 'x' }, `\x1bP${sequence}\x1b\\`],
  ])('%s receives the text', async (_, env, expected) => {
    await using terminal = open(env);

    const code = await terminal.waitForExitCode();

    expect(code).toBe(0);
    expect(terminal.output).toContain(expected);
  });

  test.each([
    ['a text that terminals drop', {}, 'x'.repeat(80_000), 'too long for the terminal clipboard'],
    ['a terminal that only prints', { TERM: 'dumb' }, text, 'Install wl-clipboard'],
  ])('receives nothing: %s', async (_, env, copied, sentence) => {
    await using terminal = open(env, copied);

    const code = await terminal.waitForExitCode();

    expect(code).toBe(1);
    expect(terminal.screenText.replaceAll('\n', '')).toContain(sentence);
    expect(terminal.output).not.toContain('\x1b]52');
  });
});
