import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { encoded, merged, revisionOf, SegmentsBody, sizeOf } from './segments.ts';

const changesOf = fc.dictionary(
  fc.constantFrom('1', '2', '63', '64', '65', '200', '300'),
  fc.option(fc.constantFrom('1', '"漢"')),
);

const jsonOf = (segments: ReturnType<typeof merged>) => Buffer.concat([...new SegmentsBody(segments).parts]).toString();

test('after any changes, a list is the JSON of its notes in order of id, and its revision that of equal lists', () => {
  fc.assert(
    fc.property(fc.array(changesOf, { maxLength: 6 }), (all) => {
      const notes = new Map<number, string>();
      let segments = merged(new Map(), new Map());
      for (const changes of all) {
        const some = Object.entries(changes).map(([id, json]) => [Number(id), json ?? undefined] as const);
        for (const [id, json] of some) json === undefined ? notes.delete(id) : notes.set(id, json);
        segments = merged(segments, new Map(some));
      }

      const ordered = [...notes].sort(([one], [other]) => one - other);
      const anew = new Map(encoded(ordered.map(([id, json]) => ({ id, json }))));
      expect(jsonOf(segments)).toBe(`[${ordered.map(([, json]) => json).join()}]`);
      expect(revisionOf(segments)).toBe(revisionOf(anew));
      expect(sizeOf(segments)).toBe(sizeOf(anew));
    }),
  );
});

test('changes that leave a list as it is return it itself, so that nothing is encoded again', () => {
  const segments = new Map(encoded([{ id: 1, json: '1' }]));

  expect(merged(segments, new Map([[2, undefined]]))).toBe(segments);
  expect(merged(segments, new Map())).toBe(segments);
});

test('lists of other texts, or of as many other notes, have other revisions', () => {
  const lists = [[1], [1, 2], [2], [1, 3]].map((ids) => new Map(encoded(ids.map((id) => ({ id, json: `${id}` })))));

  expect(new Set(lists.map(revisionOf)).size).toBe(4);
});
