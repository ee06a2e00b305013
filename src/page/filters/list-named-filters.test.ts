import { expect, test } from 'bun:test';
import { listNamedFilters, type NamedFilter } from './list-named-filters.ts';

const samples: readonly (readonly [name: string, line: string, expected: readonly NamedFilter[]])[] = [
  ['a category', 'css tooltip', [{ value: 'css', filters: { category: ['css'] }, words: 'tooltip' }]],
  ['a group, in any case', 'my First tea', [{ value: 'first', filters: { group: ['first'] }, words: 'my tea' }]],
  ['a color alone', 'info', [{ value: 'info', filters: { color: ['info'] }, words: '' }]],
  ['a label', 'at-home tea', [{ value: 'second', filters: { group: ['second'] }, words: 'tea' }]],
  ['nothing', 'tooltip csss', []],
];

test.each(samples)('words of a search may name %s', (_, line, expected) => {
  expect(listNamedFilters(line, { second: 'At home' })).toEqual(expected);
});

test('the first of two names comes first', () => {
  expect(listNamedFilters('css info tip', {}).map(({ value, words }) => [value, words])).toEqual([
    ['css', 'info tip'],
    ['info', 'css tip'],
  ]);
});
