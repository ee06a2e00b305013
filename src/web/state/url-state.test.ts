import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { categories, groups } from '../../domain/enums.ts';
import { formatUrlState, parseUrlState, views } from './url-state.ts';

test('every state is parsed back from its query string', () => {
  const states = fc.record({
    query: fc.string({ unit: 'grapheme' }),
    category: fc.constantFrom(undefined, ...categories),
    group: fc.constantFrom(undefined, ...groups),
    archived: fc.boolean(),
    view: fc.constantFrom(...views),
    note: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
  });

  fc.assert(
    fc.property(states, (state) => expect(parseUrlState(formatUrlState(state))).toEqual({ state, ignored: [] })),
  );
});

test('invalid parameters are left out and listed', () => {
  const { state, ignored } = parseUrlState('?category=none&group=first&archived=1&view=&note=0&other=x');

  expect(state).toEqual({
    query: '',
    category: undefined,
    group: 'first',
    archived: false,
    view: 'list',
    note: undefined,
  });
  expect(ignored).toEqual(['category=none', 'archived=1', 'view=', 'note=0']);
});
