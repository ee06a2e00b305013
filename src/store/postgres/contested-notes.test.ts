import { expect, test } from 'bun:test';
import { ContestedNotes } from './contested-notes.ts';

test('a note is contested for a second after it was added last', () => {
  const contested = new ContestedNotes();
  contested.add([1, 2], 0);
  contested.add([2], 500);

  const before = [1, 2, 3].filter((id) => contested.has(id, 999));
  contested.add([4], 1_000);
  const after = [1, 2, 3, 4].filter((id) => contested.has(id, 1_000));

  expect([before, after]).toEqual([
    [1, 2],
    [2, 4],
  ]);
});
