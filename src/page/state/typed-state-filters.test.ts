import { expect, test } from 'bun:test';
import { findTypedFilterCompletion, parseStateFilters } from './typed-state-filters.ts';

test.each([
  ['is:pinned', '', true, false],
  ['tar IS:Archived gz', 'tar gz', false, true],
  ['is:pinned is:archived', '', true, true],
  ['is: is:pin this:pinned', 'is: is:pin this:pinned', false, false],
])('%p has the words %p', (text, words, pinned, archived) => {
  expect(parseStateFilters(text)).toEqual({ words, pinned, archived });
});

test.each([
  ['is:', '', ['is:pinned', 'is:archived']],
  ['tar Is:a', 'tar ', ['is:archived']],
  ['is:pinned', undefined, undefined],
  ['this:', undefined, undefined],
  ['tar c:cs', 'tar ', ['c:css']],
])('%p is completed', (line, before, words) => {
  const completion = findTypedFilterCompletion(line, {});

  expect(completion?.before).toBe(before);
  expect(completion?.choices.map(({ word }) => word)).toEqual(words);
});
