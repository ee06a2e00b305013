import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { missing, numbered, textWith, word } from '../../../../test/fixtures/words.ts';
import { toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import { toVaultSnippet } from './masscode-vault.ts';

const readFile = (text: string) => toVaultSnippet('code/Note.md', new TextEncoder().encode(text));

/** Label, language and text of each part. */
const listParts = (text: string) =>
  toArrayOrEmpty(readFile(text)['content']).map((part) => {
    const { label, language, value } = toObjectOrEmpty(part);
    return [toTextOrEmpty(label), toTextOrEmpty(language), toTextOrEmpty(value)];
  });

type Fragment = readonly [label: string, language: string, value: string];

const formatHeader = (fragments: readonly Fragment[]) =>
  stringify({ contents: fragments.map(([label, language], index) => ({ id: index + 1, label, language })), name: 'N' });

/** As massCode writes it; before version 5.3 with `fence` for all. */
function createVaultFile(fragments: readonly Fragment[], createFence: (value: string) => string): string {
  const body = fragments.map(([label, language, value]) => {
    const fence = createFence(value);
    return `## Fragment: ${label}\n${fence}${language}\n${value}\n${fence}`;
  });
  return `---\n${formatHeader(fragments)}---\n\n${body.join('\n\n')}\n`;
}

const oldFence = () => '```';
const longFence = (value: string) =>
  '`'.repeat(Math.max(3, ...Array.from(value.matchAll(/`+/g), ([run]) => run.length + 1)));

describe('fragments of a vault', () => {
  const readme = '# Project\n\n```sh\nnpm ci\n```\n\nThen:\n\n```\nnpm start\n```\n\nTHE END';
  const two: readonly Fragment[] = [
    ['Fragment 1', 'markdown', readme],
    ['Fragment 2', 'sh', 'ls'],
  ];

  test.each([
    ['old', oldFence],
    ['long', longFence],
  ])('with %s fences around fences are read to their last closing one', (_, createFence) => {
    expect(listParts(createVaultFile(two, createFence))).toEqual(two.map((fragment) => [...fragment]));
  });

  test('a heading within an old fragment that is not in the front matter does not end it', () => {
    const fragments: readonly Fragment[] = [
      ['A', 'markdown', '```sh\nx\n```\nSee\n## Fragment: B\n```sh\ny\n```\nafter'],
      ['B', 'javascript', 'z'],
    ];

    expect(listParts(createVaultFile(fragments, oldFence))).toEqual(fragments.map((fragment) => [...fragment]));
  });

  test('text before, between and after them is kept as a part of its own', () => {
    const text = `---\n${formatHeader([...two])}---\nBefore\n\n${[
      '## Fragment: Fragment 1\n```markdown\na\n```\n\nBetween',
      '## Fragment: Fragment 2\n```sh\nb\n```\n\n## Fragment: Prose\nNo fence\n\nAfter',
    ].join('\n\n')}\n`;

    expect(listParts(text)).toEqual([
      ['Fragment 1', 'markdown', 'a'],
      ['Fragment 2', 'sh', 'b'],
      ['other text', 'markdown', 'Before\n\nBetween\n\n## Fragment: Prose\nNo fence\n\nAfter'],
    ]);
  });

  test('one added by hand, one without language and one without an end are read', () => {
    const text = `---\n${formatHeader([['A', 'sql', '']])}---\n${[
      '## Fragment: A\n```\nSELECT 1\n```',
      '## Fragment: Added\n```py\nx = 1\n```',
      '## Fragment: Open\n```sh\nls',
    ].join('\n\n')}`;

    expect(listParts(text)).toEqual([
      ['A', 'sql', 'SELECT 1'],
      ['Added', 'py', 'x = 1'],
      ['Open', 'sh', 'ls'],
    ]);
  });

  test('with line ends of Windows, or without front matter, are read', () => {
    const text = createVaultFile([['A', 'sh', 'one\ntwo']], oldFence);

    expect(listParts(text.replaceAll('\n', '\r\n'))).toEqual([['A', 'sh', 'one\ntwo']]);
    expect(listParts('\ufeff## Fragment: A\nplain')).toEqual([['', 'markdown', '## Fragment: A\nplain']]);
  });

  test('lose no word, whatever they contain', () => {
    const value = textWith(
      '```',
      '````',
      '\n```\n',
      '\n```sh\n',
      '\n## Fragment: A\n',
      '\n## Fragment: B\n',
      '\n---\n',
    );
    const fragment = fc.tuple(fc.constantFrom('A', 'B', 'Fragment 1'), fc.constantFrom('sh', 'markdown', ''), value);
    const file = fc.oneof(
      fc.array(fragment, { maxLength: 4 }).map((fragments) => createVaultFile(fragments, oldFence)),
      fc
        .tuple(fc.array(fragment, { maxLength: 2 }), value)
        .map(([some, text]) => `---\n${formatHeader(some)}---\n${text}`),
      value,
      value.map((text) => `---\na: b: c ${word}\n---\n${text}`),
      fc.tuple(value, value).map(([own, text]) => `---\n${stringify({ own })}---\n${text}`),
    );
    fc.assert(
      fc.property(file, (source) => {
        const { text, words } = numbered(source);

        expect(missing(words, { notes: [], rest: listParts(text).flat() })).toEqual([]);
      }),
    );
  });

  test('in the fences that massCode writes now come back as they were', () => {
    const value = fc
      .array(fc.oneof(fc.constantFrom('```', '````', '```sh', '## Fragment: A', '## Fragment: B', ''), fc.string()), {
        maxLength: 12,
      })
      .map((lines) => lines.join('\n').replaceAll('\r', ''));
    const fragment = fc.tuple(fc.constantFrom('A', 'B', 'Fragment 1'), fc.constantFrom('sh', 'markdown'), value);
    fc.assert(
      fc.property(fc.array(fragment, { minLength: 1, maxLength: 4 }), (fragments) => {
        expect(listParts(createVaultFile(fragments, longFence))).toEqual(fragments.map((one) => [...one]));
      }),
    );
  });
});
