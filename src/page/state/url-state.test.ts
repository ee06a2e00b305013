import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { categories, colors, groups } from '../../core/enums.ts';
import { noteSortOrders } from './sort-notes.ts';
import { copyWithFiltersFromQuery, formatUrlState, parseUrlState, type UrlState, views } from './url-state.ts';

const empty: UrlState = {
  query: '',
  category: [],
  group: [],
  color: [],
  archived: false,
  pinned: false,
  view: 'list',
  sort: undefined,
  note: undefined,
};

test('every state is parsed back from its query string', () => {
  const states = fc.record({
    query: fc.string({ unit: 'grapheme' }),
    category: fc.uniqueArray(fc.constantFrom(...categories)),
    group: fc.uniqueArray(fc.constantFrom(...groups)),
    color: fc.uniqueArray(fc.constantFrom(...colors)),
    archived: fc.boolean(),
    pinned: fc.boolean(),
    view: fc.constantFrom(...views),
    sort: fc.option(fc.constantFrom(...noteSortOrders), { nil: undefined }),
    note: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined }),
  });

  fc.assert(
    fc.property(states, (state) => expect(parseUrlState(formatUrlState(state))).toEqual({ state, ignored: [] })),
  );
});

test('invalid parameters are left out and listed', () => {
  const { state, ignored } = parseUrlState('?category=none&group=first&archived=1&view=&sort=size&note=0&other=x');

  expect(state).toEqual({ ...empty, group: ['first'] });
  expect(ignored).toEqual(['category=none', 'archived=1', 'view=', 'sort=size', 'note=0']);
});

test('several values stand between commas or in several parameters, once each', () => {
  const { state, ignored } = parseUrlState('?category=css,prompts,none&category=css,notes&color=info');

  expect(state).toEqual({ ...empty, category: ['css', 'prompts', 'notes'], color: ['info'] });
  expect(ignored).toEqual(['category=none']);
  expect(formatUrlState(state)).toBe('category=css,prompts,notes&color=info');
});

test('filters in the text of the search are taken out of it', () => {
  const { state } = parseUrlState('?q=flex+c:prompts+archived:true&category=css');

  expect(state).toEqual({ ...empty, query: 'flex', category: ['css', 'prompts'], archived: true });
  expect(copyWithFiltersFromQuery({ ...empty, query: 'flex c:css ' }).query).toBe('flex ');
  expect(copyWithFiltersFromQuery({ ...empty, query: 'c:css ' }).query).toBe('');
  expect(copyWithFiltersFromQuery({ ...empty, query: ' c:x  y' }).query).toBe(' c:x  y');
  expect(copyWithFiltersFromQuery({ ...empty, query: 'flex is:Pinned is:archived ' })).toMatchObject({
    query: 'flex ',
    pinned: true,
    archived: true,
  });
  expect(copyWithFiltersFromQuery({ ...empty, query: 'is:x  y' })).toMatchObject({ query: 'is:x  y', pinned: false });
});
