import { describe, expect, test } from 'bun:test';
import {
  copyWithDateDefault,
  fillPlaceholders,
  findColonDefault,
  getValueOrDefault,
  listDistinctPlaceholders,
  type Placeholder,
  splitAtPlaceholders,
} from './placeholders.ts';

describe('placeholders', () => {
  test.each([
    ['Summarise {{text}} for {{ audience }}, then {{text}}', ['text', 'audience']],
    ['ssh {{user_name}}@{{host-1}}', ['user_name', 'host-1']],
    ['{{if .Ready}}{{ name }}{{else}}{{.Names}}{{ end }} {{range x}}{{break}}{{ continue }}{{end}}', ['name']],
    [
      '{{target language}} {{ Größe in cm }} {{well-known name_2}}',
      ['target language', 'Größe in cm', 'well-known name_2'],
    ],
    ['{{a  b}} {{a\tb}} {{a -b}} {{a- b}} {{a. b}} {{f (x)}} {{x | y}} {{a, b}}', []],
    ['{{ printf "%s" x }} {{json .}} {{len(x)}} {{- end -}} {{x y .Z}} {{index $x 1}}', []],
    ['{{if x}} {{else if x}} {{end x}} {{with x}} {{range x}} {{template x}} {{define x}} {{block x}}', []],
    ['{{break x}} {{continue x}} {{#each all items}} {{/if it}} {{> part of it}} {{a if b else c}}', []],
    ['{{ifs and buts}} {{what if}} {{date of the end}}', ['ifs and buts', 'what if', 'date of the end']],
    ['{{ends}} {{End}} {{else-1}}', ['ends', 'End', 'else-1']],
    ['{{größe}} {{名前}}', ['größe', '名前']],
    ["docker ps --format '{{.Names}}'", []],
    ['key: $' + '{{ github.sha }} $' + '{{ name }} $' + '{{ a=b }}', []],
    ['{{a == b}} {{a === b}} {{a != b}} {{x => y}} {{a =~ b}} {{ a <= b }} {{a := 1}}', []],
    ['{{#if x=1}} {{/if}} {{> part x=1}} {{$x=1}} {{x.y=1}} {{f(x=1)}} {{ x | default(value=1) }} {%- set x=1 %}', []],
    ['{{with x=1}} {{a b==c}}', []],
    ['{{=a}} {{a={b}}} {{a=b\nc}} {{a=b} } {{a=b', []],
  ])('in %j are %j', (text, names) => {
    expect(listDistinctPlaceholders(text)).toEqual(names.map((name) => ({ name })));
  });

  test.each<[string, Placeholder]>([
    ['{{name=Ann}}', { name: 'name', default: 'Ann' }],
    ['{{ name  =  Ann Lee }}', { name: 'name', default: 'Ann Lee' }],
    ['{{name=}}', { name: 'name', default: '' }],
    ['{{ first name  =  Ann Lee }}', { name: 'first name', default: 'Ann Lee' }],
    ['{{url=https://x.y/?a=b&c}}', { name: 'url', default: 'https://x.y/?a=b&c' }],
    ['{{tone=formal|casual | formal}}', { name: 'tone', default: 'formal', choices: ['formal', 'casual'] }],
    ['{{flag=|--force}}', { name: 'flag', default: '', choices: ['', '--force'] }],
    ['{{a=b|b}}', { name: 'a', default: 'b' }],
    [String.raw`{{cmd=ls \| head}}`, { name: 'cmd', default: 'ls | head' }],
    [
      String.raw`{{cmd=ls \| wc -l|a.b (c) \|\| d}}`,
      { name: 'cmd', default: 'ls | wc -l', choices: ['ls | wc -l', 'a.b (c) || d'] },
    ],
    [String.raw`{{path=C:\new\|D:\}}`, { name: 'path', default: 'C:\\new|D:\\' }],
    ['{{end =8}} {{end=9}}', { name: 'end', default: '8' }],
    ['{{end=9}}', { name: 'end', default: '9' }],
    ['{{a}} {{a=b}} {{a=c}}', { name: 'a', default: 'b' }],
  ])('%j has a default or choices', (text, placeholder) => {
    expect(listDistinctPlaceholders(text)).toEqual([placeholder]);
  });

  test('after a $ are those without spaces before their names', () => {
    const text = `$${'{{price}}'} $${'{{ secret }}'} $${'{{github.sha}}'}`;

    expect(
      fillPlaceholders(
        text,
        new Map([
          ['price', '5'],
          ['secret', 'x'],
        ]),
      ),
    ).toBe(text.replace('{{price}}', '5'));
  });

  test('are replaced by their values, whatever characters those contain', () => {
    const values = new Map([
      ['a', '$& {{b}}'],
      ['b', ''],
    ]);

    expect(fillPlaceholders('{{a}}|{{ a=x|y }}|{{b}}|{{c}}|{{d=x}}', values)).toBe('$& {{b}}|$& {{b}}||{{c}}|{{d=x}}');
  });

  test.each([
    ['{{a}}', 'x', 'x'],
    ['{{a}}', '', undefined],
    ['{{a}}', undefined, undefined],
    ['{{a=y}}', 'x', 'x'],
    ['{{a=y}}', '', 'y'],
    ['{{a=}}', undefined, ''],
  ])('in %j the value %j means %j', (text, given, meant) => {
    expect(listDistinctPlaceholders(text).map((placeholder) => getValueOrDefault(placeholder, given))).toEqual([meant]);
  });

  test.each(['a {{b}}{{c=d}} e', '{{b}}', '{{#b}}', ''])('the pieces of %j join to the same text', (text) => {
    const pieces = splitAtPlaceholders(text);

    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.flatMap(({ name }) => name ?? [])).toEqual(listDistinctPlaceholders(text).map(({ name }) => name));
  });

  test('a date without a default is the local day, and other names stay without a value', () => {
    const placeholders = listDistinctPlaceholders('{{date}} {{date of birth}} {{clipboard}}');

    expect(copyWithDateDefault(placeholders, new Date(2026, 0, 5, 23, 59))).toEqual([
      { name: 'date', default: '2026-01-05' },
      { name: 'date of birth' },
      { name: 'clipboard' },
    ]);
    expect(copyWithDateDefault(listDistinctPlaceholders('{{date=never}}'), new Date())).toEqual([
      { name: 'date', default: 'never' },
    ]);
  });
});

test.each([
  ['Review for {{focus:correctness}}', { written: '{{focus:correctness}}', meant: '{{focus=correctness}}' }],
  ['{{ target language : Go }}', { written: '{{ target language : Go }}', meant: '{{target language=Go}}' }],
  ['{{name=a:b}} {{name}}', undefined],
  [`\${{ a:b }} {{x ? a : b}} {{a::b}} {{.x}}`, undefined],
])('the default after a colon in %p is %p', (text, found) => {
  expect(findColonDefault(text)).toEqual(found);
});
