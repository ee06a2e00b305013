import { expect, test } from 'bun:test';
import { portableNote } from '../../../test/support/service.ts';
import { findWordOffset } from './found-json.ts';

const note = (title: string, content: string) => portableNote(1, { title, content });

test('the offset of a hit is that of its first word in the content, mistyped or not', () => {
  expect(findWordOffset(note('x', 'in the haystack a needle'), 'needle')).toBe(18);
  expect(findWordOffset(note('x', 'in the haystack a neddle'), 'needle')).toBe(18);
  expect(findWordOffset(note('needle', 'only there'), 'needle')).toBe(0);
});
