import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { missing, numbered, textWith, word } from '../../../../test/fixtures/words.ts';
import { replaceArgumentsByPlaceholders } from './raycast.ts';
import { convertSnippetBody } from './snippet-text.ts';

describe('snippets of VS Code', () => {
  test('each in a folder becomes a note with its prefixes, description and category by language', async () => {
    const { format, notes, rest } = await readFixture('vscode-snippets/snippets');

    expect(format).toBe('vscode-snippets');
    expect(notes.map(({ title, category, content }) => [title, category, content])).toEqual([
      [
        'Centre (centre): Centre what is in a box',
        'css',
        '.{{box}} {\n\tdisplay: {{2=grid|inline-grid}};\n\tplace-items: center;\n}',
      ],
      ['Clamp (clamp, fluid)', 'css', 'font-size: clamp({{1}}, {{2}}, {{3}});'],
      [
        'Largest files (largest): The largest files below a folder',
        'bash-commands',
        'du -ah {{1=.}} | sort -rh | head -n {{2=10}} # $HOME',
      ],
      ['Header (header)', 'notes', '// {{filename}} by {{name}}'],
      ['Interpolation (int)', 'notes', '{{ {{1}} }}'],
      ['File template', 'notes', '<main></main>'],
    ]);
    expect(rest).toEqual([
      'left out | “Header” of team.code-snippets | Regular expressions that change a value are left out, as a placeholder has none',
      'left out | “Empty” of team.code-snippets | It has no text',
      'left out | “No body” of team.code-snippets | It has no text',
    ]);
  });

  test('a damaged file yields the snippets before the damage, and its line', async () => {
    const { notes, rest } = await readText('a.code-snippets', '{\n"One": { "body": "1" },\n"Two": { "body": "2" ');

    expect(notes.map(({ title }) => title)).toEqual(['One', 'Two']);
    expect(rest).toEqual(['bad | line 3 of a.code-snippets | It is not valid JSON (CloseBraceExpected)']);
  });

  test('a description that does not fit into the title, or has no body, is a note of its own', async () => {
    const long = `Long ${'and long '.repeat(30)}indeed`;
    const [fits, longer, alone] = [
      { prefix: 'a', body: '1', description: 'Two\nlines' },
      { prefix: ['b', 'c'], body: ['2', '3'], description: long },
      { prefix: 'd', description: 'No body' },
    ];

    const { notes } = await readText('a.code-snippets', JSON.stringify({ fits, longer, alone }));

    expect(notes.map(({ title, content }) => [title, content])).toEqual([
      ['fits (a): Two lines', '1'],
      ['longer (b, c)', '2\n3'],
      ['longer (b, c) — description', long],
      ['alone (d) — description', 'No body'],
    ]);
  });

  test('of two with one name the last is read, as in VS Code, and the other is reported', async () => {
    const two = '{"A": {"body": "1", "scope": "css"}, "A": {"body": "2", "scope": "css"}, "B": {"body": "3"}}';

    const { notes, rest } = await readText('a.code-snippets', two);

    expect(notes.map(({ title, content }) => [title, content])).toEqual([
      ['A', '2'],
      ['B', '3'],
    ]);
    expect(rest).toEqual(['bad | “A” of a.code-snippets | Another snippet below has this name. Rename one']);
  });

  test('lose no word', async () => {
    const body = textWith(
      '$1',
      `${dollar}{1:${word}}`,
      `${dollar}{2|${word},b|}`,
      `\\${dollar}`,
      '\\}',
      '$TM_FILENAME',
      '{{',
    );
    const snippet = fc.record({
      prefix: fc.constantFrom('a', ['a', 'b']),
      scope: fc.constantFrom('css', 'javascript, shellscript'),
      isFileTemplate: fc.boolean(),
      body: fc.oneof(body, fc.array(body, { maxLength: 3 })),
      description: fc.oneof(textWith(), fc.array(textWith(), { maxLength: 12 })),
    });
    const name = fc.constantFrom('A', 'B', 'body');
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.tuple(name, snippet), { selector: ([name]) => name }), async (snippets) => {
        const lines = snippets.map(([name, fields]) => `"${name}": ${JSON.stringify(fields)},`);
        const { text, words } = numbered(`{${lines.join('\n')}} // team`);

        expect(missing(words, await readText('a.code-snippets', text))).toEqual([]);
      }),
    );
  });

  test('a language file is recognized by its content', async () => {
    const { format, notes } = await readText('scss.json', '// mine\n{ "A": { "prefix": "a", "body": ["b"] } }');

    expect([format, notes[0]?.category]).toEqual(['vscode-snippets', 'css']);
  });
});

const dollar = '$';

describe('tab stops and variables become placeholders', () => {
  test.each([
    ['a $1 b $2 c $1', 'a {{1}} b {{2}} c {{1}}'],
    [`${dollar}{1} ${dollar}{2:}`, '{{1}} {{2}}'],
    [`$1 ${dollar}{1:name}: $1$0`, '{{name}} {{name}}: {{name}}'],
    [`${dollar}{1:target language}`, '{{target language}}'],
    [`${dollar}{1:one} ${dollar}{2:one} ${dollar}{1:two}`, '{{one}} {{one 2}} {{two}}'],
    [`${dollar}{1:10} ${dollar}{2:./src} ${dollar}{3:end} $1`, '{{1=10}} {{2=./src}} {{3=end}} {{1}}'],
    [`${dollar}{1:true} ${dollar}{0:10}`, '{{1=true}} {{0=10}}'],
    [`${dollar}{1|a,b\\,c|} $1`, '{{1=a|b,c}} {{1}}'],
    [`${dollar}{1|$a,b\\\\|} ${dollar}{2|a, b,a|}`, '{{1=$a|b\\}} {{2=a|b}}'],
    [`${dollar}{1:\\$5} ${dollar}{0:here}`, '{{1=$5}} {{here}}'],
    [`${dollar}{1:outer ${dollar}{2:inner}} $1`, 'outer {{inner}} outer {{inner}}'],
    [`${dollar}{1:${dollar}TM_FILENAME} ${dollar}{2:a $2}`, '{{filename}} a '],
    [
      `$TM_SELECTED_TEXT ${dollar}{CLIPBOARD:x} $unknown ${dollar}{name} $end`,
      '{{selected text}} {{clipboard=x}} {{unknown}} {{name}} {{end_}}',
    ],
    [`$CURRENT_YEAR-${dollar}{CURRENT_MONTH}-$CURRENT_DATE $CURRENT_DATE`, '{{date}} {{day}}'],
    [`${dollar}{TM_FILENAME/(.*)\\..+$/${dollar}{1:/upcase}/g} ${dollar}{1/a/b/}`, '{{filename}} {{1}}'],
    [`\\$$1 $${dollar}{2:x}`, `${dollar}{{1}} ${dollar}{{x}}`],
    ['{$1} {{ name }}', '{{{1}}} {{ name }}'],
    [`\\$5 \\\\ \\} $ 5 \\${dollar}{a}`, `$5 \\ } $ 5 ${dollar}{a}`],
  ])('%s becomes %s', (body, expected) => {
    expect(convertSnippetBody(body).text).toBe(expected);
  });

  test.each([
    [`${dollar}{1:a{b} ${dollar}{2: padded }`, 'a{b  padded '],
    [`${dollar}{1|{},[]|}`, '{} | []'],
    [`${dollar}{1|C:\\\\,D:|}`, 'C:\\ | D:'],
    [`${dollar}{1:=x}`, '=x'],
  ])('but %s, which none can hold, becomes the text %s', (body, expected) => {
    expect(convertSnippetBody(body).text).toBe(expected);
  });

  test.each([`${dollar}{1:`, `${dollar}{1/`, `${dollar}{1|a`, `${dollar}{a.b}`, `a$ ${dollar}{} ${dollar}{1`])(
    'and what VS Code takes for text stays: %s',
    (body) => {
      expect(convertSnippetBody(body.repeat(1_000)).text).toBe(body.repeat(1_000));
    },
  );

  test('stops that repeat each other end', () => {
    const stops = Array.from({ length: 60 }, (_, at) => `${dollar}{${at}:$${at + 1} $${at + 1}}`);

    expect(convertSnippetBody(`${stops.join('')}${dollar}{60:the last}`).text).toContain('{{the last}}');
  });
});

describe("Raycast's snippets", () => {
  test('are read, with their keywords', async () => {
    const { format, notes, rest } = await readFixture('raycast/snippets.json');

    expect(format).toBe('raycast');
    expect(notes.map(({ title, content }) => [title, content])).toEqual([
      ['Sign-off (!bye)', 'Best,\nAda – {date}'],
      ['Meeting', 'Agenda: {{topic}} {cursor}'],
      ['Meeting (!m2)', 'Another of this name'],
      ['中文 without a name', '中文 without a name'],
    ]);
    expect(rest).toEqual([
      'left out | snippet 5 of raycast/snippets.json | It has no text',
      'left out | snippet 6 of raycast/snippets.json | It has no text',
    ]);
  });

  test.each([
    '[{"text":"{uuid}","keyword":"!id","name":"uuid"},{"name":"B","text":"b"}]',
    '[{"keyword":";a","text":"say \\"{}]\\" \\\\","name":"A"}]',
    '\ufeff[ { "type": {"text": [{}]}, "name": "}", "text": "" } ]',
    `[{"name":"A","text":"a"},{"name":"B","text":"${'b'.repeat(70_000)}"}]`,
  ])('are recognized by the first one: %s', async (text) => {
    expect((await readText('Snippets.json', text)).format).toBe('raycast');
  });

  test.each(['[{"a":{"name":"A","text":"a"}}]', '[{"name":"A","text":{}}]', `[{"name":"${'"'.repeat(3)}`])(
    'and no other JSON is taken for them: %s',
    async (text) => {
      expect((await readText('x.json', text)).format).not.toBe('raycast');
    },
  );

  test.each([
    ['{argument name="x"}', '{{x}}'],
    ['{argument name="x" default="y z"}', '{{x=y z}}'],
    ['{argument default="" name="x"}', '{{x=}}'],
    ['{argument name=tone options="happy, sad"}', '{{tone=happy|sad}}'],
    ['{argument name="tone" options="happy, sad" default="sad"}', '{{tone=sad|happy}}'],
    ['a {argument name="x"}{argument name="y"} {clipboard}', 'a {{x}}{{y}} {clipboard}'],
  ])('%s becomes %s', (text, expected) => {
    expect(replaceArgumentsByPlaceholders(text)).toBe(expected);
  });

  test.each([
    '{argument}',
    '{argument default="x"}',
    '{argument name="x" | uppercase}',
    '{argument name="x" default="{clipboard}"}',
    '{argument name="x?"}',
    '{argument name="x" default=" y"}',
    '{argument name="x" options="a, a"}',
    '{argument name="x" options="a, b" default="c"}',
    '{argument name="x" size="2"}',
    `${dollar}{argument name="x"}`,
    '{date format="yyyy-MM-dd"} {snippet name="x"}',
  ])('%s stays as written', (text) => {
    expect(replaceArgumentsByPlaceholders(text)).toBe(text);
  });

  test('lose no word', async () => {
    const text = textWith(
      `{argument name="${word}" default="${word}"}`,
      `{argument name="x" options="${word}, b"}`,
      '{{',
    );
    const snippet = fc.record({ text, name: fc.constantFrom('A', word, ''), keyword: fc.constantFrom('', `!${word}`) });
    await fc.assert(
      fc.asyncProperty(fc.array(snippet, { maxLength: 4 }), async (snippets) => {
        const kept = [{ name: 'A', text: 'first' }, ...snippets.filter(({ text }) => text.trim() !== '')];
        const { text, words } = numbered(JSON.stringify(kept));

        expect(missing(words, await readText('raycast.json', text))).toEqual([]);
      }),
    );
  });
});
