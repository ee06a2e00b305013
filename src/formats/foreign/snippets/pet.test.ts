import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith, word } from '../../../../test/fixtures/words.ts';

describe("pet's snippets", () => {
  test('become a note each, with its parameters as placeholders, its tags and its output', async () => {
    const { format, notes, rest } = await readFixture('pet/snippet.toml');

    expect(format).toBe('pet');
    expect(notes.map(({ title, category, content }) => [title, category, content])).toEqual([
      ['list the sockets that listen', 'bash-commands', 'ss -tulpn\n# net, linux'],
      [
        'find the largest files',
        'bash-commands',
        'du -ah {{dir=.}} | sort -rh | head -n {{n=10}} # of {{dir}}\n# Output:\n# 12G\tbackup.tar\n# 3G\tfilm.mkv',
      ],
      ['for host in {{hosts}}; do', 'bash-commands', 'for host in {{hosts}}; do\n  ssh "$host" uptime\ndone\n'],
      ['greet', 'bash-commands', "echo {{greeting=Hello|Good evening, 中文}} | sed 's/a/b/' < in.txt > out.txt"],
      [
        'greet',
        'bash-commands',
        "mail <ada@example.org> '{{b}}</b>' $" + '{{price}} {{mount dir e g mnt disk1}} <in.txt 2>err',
      ],
    ]);
    expect(rest).toEqual(['left out | “a thought without a command” of pet/snippet.toml | It has no text']);
  });

  test('invalid TOML is reported with its line', async () => {
    const reading = readText('snippet.toml', '[[snippets]]\n  description = "a"\n  command = "b\n');

    await expect(reading).rejects.toThrow('snippet.toml holds no snippets: it is not valid TOML (line 3)');
  });

  test.each([
    ['Cargo.toml', '[package]\nname = "a"\ncommand = "b"\n'],
    ['snippets.toml', '[[snippets]]\nname = "a"\nquery = "b"\n'],
    ['notes.md', '```toml\n[[snippets]]\n  description = "a"\n  command = "b"\n```\n'],
  ])('%s is not recognized as pet', async (name, text) => {
    expect((await readText(name, text)).format).not.toBe('pet');
  });

  test('lose no word', async () => {
    const text = textWith(`<${word}>`, `<${word}=${word}>`, `<${word}=|_${word}_||_b_|>`, '<', '>', '{{', '$');
    const snippet = fc.record({
      description: text,
      command: text,
      output: text,
      tag: fc.array(text, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(snippet, { minLength: 1, maxLength: 3 }), async (snippets) => {
        const kept = snippets.filter(({ command }) => command.trim() !== '');
        const tables = kept.map((fields) => {
          const lines = Object.entries(fields).map(([key, value]) => `  ${key} = ${JSON.stringify(value)}`);
          return ['[[snippets]]', ...lines].join('\n');
        });
        const { text, words } = numbered(['[[snippets]]\n  command = "first"', ...tables].join('\n\n'));

        expect(missing(words, await readText('snippet.toml', text))).toEqual([]);
      }),
    );
  });
});
