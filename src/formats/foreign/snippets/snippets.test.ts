import { describe, expect, test } from 'bun:test';
import { readFixture, readText } from '../../../../test/fixtures/read.ts';
import { withPlaceholders } from './tab-stops.ts';

describe('snippets of VS Code', () => {
  test('each in a folder becomes a note with its prefixes, description and category by language', async () => {
    const { format, notes, rest } = await readFixture('vscode-snippets/snippets');

    expect(format).toBe('vscode-snippets');
    expect(notes.map(({ title, category, content }) => [title, category, content])).toEqual([
      [
        'Centre (centre): Centre what is in a box',
        'css',
        '.{{1=box}} {\n\tdisplay: {{2=grid|inline-grid}};\n\tplace-items: center;\n}',
      ],
      ['Clamp (clamp, fluid)', 'css', 'font-size: clamp({{1}}, {{2}}, {{3}});'],
      [
        'Largest files (largest): The largest files below a folder',
        'bash-commands',
        'du -ah {{1=.}} | sort -rh | head -n {{2=10}} # $HOME',
      ],
      ['Header (header)', 'notes', '// $' + '{TM_FILENAME/(.*)\\..+$/$1/} by $' + '{1:name}'],
      ['Interpolation (int)', 'notes', '{{ {{1}} }}'],
      ['File template', 'notes', '<main></main>'],
    ]);
    expect(rest).toEqual([
      'left out | “Empty” of team.code-snippets | It has no text',
      'left out | “No body” of team.code-snippets | It has no text',
    ]);
  });

  test('a damaged file yields the snippets before the damage, and its line', async () => {
    const { notes, rest } = await readText('a.code-snippets', '{\n"One": { "body": "1" },\n"Two": { "body": "2" ');

    expect(notes.map(({ title }) => title)).toEqual(['One', 'Two']);
    expect(rest).toEqual(['bad | line 3 of a.code-snippets | It is not valid JSON (CloseBraceExpected)']);
  });

  test('a language file is recognized by its content', async () => {
    const { format, notes } = await readText('scss.json', '// mine\n{ "A": { "prefix": "a", "body": ["b"] } }');

    expect([format, notes[0]?.category]).toEqual(['vscode-snippets', 'css']);
  });

  test('a file that is nested too deep is refused, and affects no other', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

    await expect(readText('a.code-snippets', deep)).rejects.toThrow('a.code-snippets is nested too deep');
    const { rest } = await readText('a.code-snippets', deep, new Date());
    expect(rest).toEqual([
      'bad | a.code-snippets | a.code-snippets is nested too deep, or too long. The part before it was read',
    ]);
  });

  test('a file that is not an object is refused', async () => {
    await expect(readText('a.code-snippets', '7')).rejects.toThrow('a.code-snippets holds no snippets');
  });
});

describe('tab stops become placeholders if equivalent', () => {
  const dollar = '$';
  test.each([
    ['a $1 b $2 c $1', 'a {{1}} b {{2}} c {{1}}'],
    [`${dollar}{1} ${dollar}{2:}`, '{{1}} {{2}}'],
    [`${dollar}{1:name}: $1$0`, '{{1=name}}: {{1}}'],
    [`${dollar}{1|a,b\\,c|}`, '{{1=a|b,c}}'],
    [`${dollar}{0:here}`, '{{0=here}}'],
    ['{$1}', '{{{1}}}'],
    ['\\$5 \\\\ \\} $ 5', '$5 \\ } $ 5'],
  ])('%s', (body, expected) => {
    expect(withPlaceholders(body)).toBe(expected);
  });

  test.each([
    `$1 ${dollar}{TM_FILENAME}`,
    '$1 $TM_SELECTED_TEXT',
    `${dollar}{1:outer ${dollar}{2:inner}}`,
    `$1 ${dollar}{1/(.*)/x/}`,
    `${dollar}{1: padded }`,
    `${dollar}{1:one} ${dollar}{1:two}`,
    `${dollar}{1|a,a|}`,
    `${dollar}{1:a{b}`,
    '\\$$1',
    '{{ name }} $1',
    `${dollar}{1:=x}`,
  ])('and stay as they are elsewhere: %s', (body) => {
    expect(withPlaceholders(body)).toBe(body);
  });
});

test("Raycast's snippets are read, with their keywords", async () => {
  const { format, notes, rest } = await readFixture('raycast/snippets.json');

  expect(format).toBe('raycast');
  expect(notes.map(({ title, content }) => [title, content])).toEqual([
    ['Sign-off (!bye)', 'Best,\nAda – {date}'],
    ['Meeting', 'Agenda: {argument name="topic"} {cursor}'],
    ['Meeting (!m2)', 'Another of this name'],
    ['中文 without a name', '中文 without a name'],
  ]);
  expect(rest).toEqual([
    'left out | snippet 5 of raycast/snippets.json | It has no text',
    'left out | snippet 6 of raycast/snippets.json | It has no text',
  ]);
});
