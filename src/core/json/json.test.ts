import { expect, test } from 'bun:test';
import { freezeAndStringifyOnce } from './json.ts';

test('an object cannot change once its text is remembered', () => {
  const note = { id: 1, title: 'before' };

  const json = freezeAndStringifyOnce(note);

  expect(() => {
    note.title = 'after';
  }).toThrow(TypeError);
  expect(freezeAndStringifyOnce(note)).toBe(json);
});
