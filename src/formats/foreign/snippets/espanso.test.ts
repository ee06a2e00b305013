import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith, word } from '../../../../test/fixtures/words.ts';

describe("espanso's matches", () => {
  test('of a folder become a note each, and their variables placeholders', async () => {
    const { format, notes, rest } = await readFixture('espanso');

    expect(format).toBe('espanso');
    expect(notes.map(({ title, category, content }) => [title, category, content])).toEqual([
      [':sig', 'notes', 'Best regards\nAda\n'],
      ['Greeting (:hi, :hello)', 'notes', 'Hello  there'],
      [':day', 'notes', 'Today: {{date}}, at {{time}}'],
      [':link (url, anchor)', 'notes', '[{{text}}]({{clipboard}})'],
      [':tone', 'notes', '<p>{{tone=warm|cool}} {{ending=bow|wave}} {{tone}} {{poem}}</p>'],
      [':tone — poem', 'notes', 'Roses: Roses are red,\nviolets are blue'],
      [':ip', 'bash-commands', 'curl -s https://example.org/ip | jq -r .ip'],
      [':where', 'notes', 'I am at {{place}}'],
      [':where — place', 'bash-commands', "python3 '/home/ada/where am i.py'"],
      [':mail', 'notes', 'Dear {{name}},\n{{text=See below}}\n{{closing=Cheers|Yours}}\n'],
      [':form', 'notes', '{{who}} has {{what=time|money}}'],
      [':hey(?P<person>.*)\\.', 'notes', 'Hey {{person}}!'],
      [':twice', 'notes', 'Hello  there and again'],
      [':hi', 'notes', 'Another with a trigger of before'],
      [':fix', 'bash-commands', 'git commit --amend --no-edit'],
      ['Prompt for a review (:review)', 'prompts', 'Review this code. Be brief.'],
      ['007', 'notes', 'Ada: 中文 é'],
      [':at', 'notes', 'ada@example.org'],
    ]);
    expect(rest).toEqual([
      'left out | “:day” of match/base.yml | The format and the offset of a date are left out, as a placeholder has none',
      'left out | “:tone” of match/base.yml | The labels of choices are left out, as a placeholder shows the values alone',
      'left out | “:form” of match/base.yml | The layout of a form is left out, as its fields are placeholders',
      'left out | “:none” of match/base.yml | It has no text',
      'left out | “:cat” of match/base.yml | It is an image, and notes hold text',
      'left out | espanso | Files that this format does not read: config/default.yml, match/packages/emails/_manifest.yml',
    ]);
  });

  test('are read from one file, also as the command line prints a package', async () => {
    const { format, notes } = await readText('base.yml', '# mine\nmatches:\n- trigger: ":a"\n  replace: b\n');

    expect([format, notes.map(({ title, content }) => [title, content])]).toEqual(['espanso', [[':a', 'b']]]);
  });

  test('of a file that is no YAML are told by the line of the fault', async () => {
    const reading = readText('base.yml', 'matches:\n  - trigger: ":a"\n    replace: a: b\n');

    await expect(reading).rejects.toThrow('base.yml is not valid YAML (line 3)');
  });

  test('refer to each other without end, and stay finite', async () => {
    const vars = 'vars: [{name: x, type: match, params: {trigger: ":a"}}]';

    const { notes } = await readText('a.yml', `matches:\n- {trigger: ":a", replace: "{{x}} {{x}}", ${vars}}\n`);

    expect(notes.map(({ content }) => content)).toEqual(['{{x}} {{x}}']);
  });

  test('with a script that is empty are placeholders', async () => {
    const vars = 'vars: [{name: v, type: script, params: {args: []}}]';

    const { notes } = await readText('a.yml', `matches:\n- {trigger: ":a", replace: "{{v}}", ${vars}}\n`);

    expect(notes.map(({ content }) => content)).toEqual(['{{v}}']);
  });

  test.each([
    ['rules.yml', 'spec:\n  matches:\n    - trigger: a\n'],
    ['automations.yml', '- alias: a\n  trigger:\n    - platform: time\n'],
    ['notes.md', '```yaml\nmatches:\n  - trigger: ":a"\n    replace: b\n```\n'],
  ])('and no other file is taken for them: %s', async (name, text) => {
    expect((await readText(name, text)).format).not.toBe('espanso');
  });

  test('lose no word', async () => {
    const text = textWith('{{v}}', '{{f.a}}', '{{x}}', '[[a]]', '$', '$|$', '{{', '|');
    const values = fc.array(text, { maxLength: 3 });
    const variable = fc.oneof(
      fc.record({ type: fc.constant('random'), params: fc.record({ choices: values }) }),
      fc.record({ type: fc.constant('choice'), params: fc.record({ values }) }),
      fc.record({ type: fc.constant('shell'), params: fc.record({ cmd: text }) }),
      fc.record({ type: fc.constant('script'), params: fc.record({ args: values }) }),
    );
    const match = fc.record(
      {
        trigger: fc.constantFrom(':a', ':b', `:${word}`),
        label: text,
        search_terms: values,
        text: fc.tuple(fc.constantFrom('replace', 'form', 'markdown'), text),
        vars: fc.array(
          variable.map((one) => ({ name: 'v', ...one })),
          { maxLength: 1 },
        ),
      },
      { requiredKeys: ['trigger'] },
    );
    const choice = { name: 'v', type: 'random' as const, params: { choices: [word] } };
    const unused = { trigger: ':a' as const, text: ['replace', word] as ['replace', string], vars: [choice] };
    await fc.assert(
      fc.asyncProperty(fc.array(match, { minLength: 1, maxLength: 3 }), async (matches) => {
        const kept = matches.flatMap(({ text: [field, content] = ['', ''], ...others }) =>
          content.replace('$|$', '').trim() === '' ? [] : [{ ...others, [field]: content }],
        );
        const { text, words } = numbered(
          ['matches:', ...kept.map((one) => `- ${JSON.stringify(one)}`), '- trigger: ":end"', '  replace: end'].join(
            '\n',
          ),
        );

        expect(missing(words, await readText('base.yml', text))).toEqual([]);
      }),
      { examples: [[[unused]]] },
    );
  });
});
