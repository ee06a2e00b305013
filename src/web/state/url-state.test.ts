import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { categories, groups } from '../../domain/enums.ts';
import { readPlace, views, writePlace } from './url-state.ts';

test('every place is read back from what it writes', () => {
  const places = fc.record({
    query: fc.string({ unit: 'grapheme' }),
    category: fc.constantFrom(undefined, ...categories),
    group: fc.constantFrom(undefined, ...groups),
    archived: fc.boolean(),
    view: fc.constantFrom(...views),
    note: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
  });

  fc.assert(fc.property(places, (place) => expect(readPlace(writePlace(place))).toEqual({ place, ignored: [] })));
});

test('what no place has is left out and told', () => {
  const { place, ignored } = readPlace('?category=none&group=first&archived=1&view=&note=0&other=x');

  expect(place).toEqual({
    query: '',
    category: undefined,
    group: 'first',
    archived: false,
    view: 'list',
    note: undefined,
  });
  expect(ignored).toEqual(['category=none', 'archived=1', 'view=', 'note=0']);
});
