import { expect, test } from 'bun:test';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import { getWordOffsetOrZero } from './search-results-json.ts';

const note = (title: string, content: string) => createPortableNote(1, { title, content });

test('the offset of a hit is that of its first word in the content, mistyped or not', () => {
  expect(getWordOffsetOrZero(note('x', 'in the haystack a needle'), 'needle')).toBe(18);
  expect(getWordOffsetOrZero(note('x', 'in the haystack a neddle'), 'needle')).toBe(18);
  expect(getWordOffsetOrZero(note('needle', 'only there'), 'needle')).toBe(0);
});
