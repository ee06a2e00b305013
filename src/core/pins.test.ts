import { expect, test } from 'bun:test';
import { maxPins, parsePinsFromBody } from './pins.ts';

const manyIds = (length: number) => Array.from({ length }, (_, index) => index + 1);

test.each([[[]], [[3, 1, 2]], [[Number.MAX_SAFE_INTEGER]], [manyIds(maxPins)]])(
  'the ids %j are parsed as they are',
  (ids) => {
    expect(parsePinsFromBody({ ids, other: 1 })).toEqual(ids);
  },
);

const wrongShape = 'Invalid ids. Must be an array of at most 100 ids of notes';

test.each([
  [undefined, 'Missing required fields: ids'],
  [null, 'Missing required fields: ids'],
  ['1', wrongShape],
  [{ 0: 1 }, wrongShape],
  [[0], wrongShape],
  [[1.5], wrongShape],
  [['1'], wrongShape],
  [[2 ** 53], wrongShape],
  [manyIds(maxPins + 1), wrongShape],
  [[1, 2, 1], 'Invalid ids. Must not contain 1 twice'],
])('the ids %j are rejected', (ids, reason) => {
  expect(() => parsePinsFromBody({ ids })).toThrow(reason);
});
