import { expect, test } from 'bun:test';
import { recordOf } from '../record.ts';

test.each<[string, object, boolean]>([
  ['its own time', { updatedAt: '2026-01-01T00:00:00Z' }, true],
  ['a time that is none', { updatedAt: 'yesterday' }, false],
  ['no time', {}, false],
  ['the time of its file', { updatedAt: '2026-01-01T00:00:00Z', isFile: true }, false],
])('the states of a source with %s have an order: %#', (_, times, isDated) => {
  const note = { title: 'a', content: 'a', category: 'notes', color: 'neutral', otherwise: new Date(0) } as const;

  expect(recordOf('here', { ...note, ...times, origin: 'a:1' })).toMatchObject({ origin: 'a:1', isDated });
});
