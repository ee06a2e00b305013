import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { categories, colors, groups } from './enums.ts';
import {
  filterNotes,
  findFilterCompletion,
  formatQuery,
  noFilters,
  omitOverriddenArchived,
  parseQuery,
  type Query,
} from './search-line.ts';

const query = (words: string, filters: Partial<Query['filters']> = {}): Query => ({
  words,
  filters: { ...noFilters, ...filters },
});

describe('a line is read as words and filters', () => {
  test.each([
    ['grid', query('grid')],
    ['c:css', query('', { category: ['css'] })],
    ['  flex c:css   gap ', query('flex gap', { category: ['css'] })],
    [
      'c:css,prompts g:first color:info archived:true',
      query('', { category: ['css', 'prompts'], group: ['first'], color: ['info'], archived: true }),
    ],
    ['category:bash-commands group:fifth', query('', { category: ['bash-commands'], group: ['fifth'] })],
    ['c:css c:prompts,css', query('', { category: ['css', 'prompts'] })],
    ['C:CSS Archived:False', query('', { category: ['css'], archived: false })],
    ['archived:true archived:false', query('', { archived: false })],
  ])('%s', (line, expected) => expect(parseQuery(line)).toEqual(expected));

  test.each(['http://x', 'c:', 'c:cs', 'c:css,none', 'C:\\windows', 'colour:info', 'archived:yes', '"c:css"'])(
    '%s is a word',
    (word) => expect(parseQuery(word)).toEqual(query(word)),
  );
});

describe('a group may stand by its name', () => {
  const names = { first: 'Work', second: 'Deep  work, mine', third: null, fourth: 'At-home', fifth: 'at home' };

  test.each([
    ['g:work', ['first'], ''],
    ['group:WORK,third git', ['first', 'third'], 'git'],
    ['g:deep-work-mine', ['second'], ''],
    ['g:at-home', ['fourth', 'fifth'], ''],
    ['g:first', ['first'], ''],
    ['c:work', [], 'c:work'],
    ['g:wor', [], 'g:wor'],
  ] as const)('%s', (line, group, words) => expect(parseQuery(line, names)).toEqual(query(words, { group })));

  test.each([
    ['git g:wO', ['git g:first']],
    ['g:d', ['g:second']],
    ['g:first,de', ['g:first,second']],
    ['g:work', undefined],
  ])('%s, unfinished', (line, lines) => {
    const unfinished = findFilterCompletion(line, names);

    expect(unfinished?.choices.map(({ word }) => unfinished.before + word)).toEqual(lines);
  });
});

test('a formatted query parses back to the same query', () => {
  const queries = fc.record({
    words: fc.array(fc.string({ unit: 'grapheme' })).map((words) => parseQuery(words.join(' ')).words),
    filters: fc.record({
      category: fc.uniqueArray(fc.constantFrom(...categories)),
      group: fc.uniqueArray(fc.constantFrom(...groups)),
      color: fc.uniqueArray(fc.constantFrom(...colors)),
      archived: fc.constantFrom(undefined, true, false),
    }),
  });

  fc.assert(fc.property(queries, (query) => expect(parseQuery(formatQuery(query))).toEqual(query)));
  expect(formatQuery(parseQuery('grid archived:true color:info group:first category:css,prompts'))).toBe(
    'c:css,prompts g:first color:info archived:true grid',
  );
});

test('a note passes with any value of each filter', () => {
  const notes = [
    { category: 'css', group: 'first', color: 'info', archived: false },
    { category: 'prompts', group: 'first', color: 'error', archived: true },
    { category: 'notes', group: 'second', color: 'info', archived: false },
  ] as const;
  const found = (line: string) => filterNotes(notes, parseQuery(line).filters).map(({ category }) => category);

  expect(found('')).toEqual(['css', 'prompts', 'notes']);
  expect(found('c:css,prompts')).toEqual(['css', 'prompts']);
  expect(found('c:css,prompts archived:true')).toEqual(['prompts']);
  expect(found('color:info archived:false g:second')).toEqual(['notes']);
  expect(found('c:chat-tool')).toEqual([]);
});

test('archived: in a line overrides that of the filter beside it', () => {
  expect(omitOverriddenArchived('git', { category: 'css', archived: false })).toEqual({
    category: 'css',
    archived: false,
  });
  expect(omitOverriddenArchived('git archived:true', { category: 'css', archived: false })).toEqual({
    category: 'css',
  });
  expect(omitOverriddenArchived('c:notes', {})).toEqual({});
});

describe('a filter that is still being typed can become one of its values', () => {
  const words = (line: string) => findFilterCompletion(line)?.choices.map(({ word }) => word);

  test.each([
    ['c:', categories.map((value) => `c:${value}`)],
    ['flex c:c', ['c:css', 'c:chat-tool']],
    ['c:css,pro', ['c:css,prompts']],
    ['g:f', ['g:first', 'g:fourth', 'g:fifth']],
    ['archived:', ['archived:true', 'archived:false']],
  ])('%s', (line, expected) => expect(words(line)).toEqual(expected));

  test.each(['', 'flex', 'c:css', 'c: ', 'c:x', 'c:unknown,css', 'http://', 'C:\\'])('none: %s', (line) =>
    expect(words(line)).toBeUndefined(),
  );

  test('returns the text before it', () => expect(findFilterCompletion('flex  c:c')?.before).toBe('flex  '));

  test.each([
    ['c:bash ', ['c:bash-commands'], '', ' '],
    ['old c:bash git', ['c:bash-commands'], 'old ', ' git'],
    ['c:css c:bash  g:fi x', ['g:first', 'g:fifth'], 'c:css c:bash  ', ' x'],
    ['c: x', undefined, undefined, undefined],
  ])('%p, as a word before others', (line, expected, before, after) => {
    const unfinished = findFilterCompletion(line);

    expect([words(line), unfinished?.before, unfinished?.after]).toEqual([expected, before, after]);
  });
});
