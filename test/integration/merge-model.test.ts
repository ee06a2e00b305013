/** Random merges on each store and on a plain map: outcomes, notes and earlier versions must agree. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { categories, colors, draftFields, groups, type Note, type PortableNote } from '../../src/core/note.ts';
import type { MergeOutcome } from '../../src/core/store.ts';
import { copyWithoutId, createUnstoredNote } from '../support/sample-notes.ts';
import { pickByScale } from '../support/scale.ts';
import { collectEarlierVersions, listOutcomes, stores } from '../support/stores/stores.ts';

const text = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).filter((value) => !value.includes('\0'));
const ms = fc.oneof(fc.nat({ max: 3 }), fc.constant(Date.parse('9998-12-31T23:59:59.999Z') - 10));
const anyNote: fc.Arbitrary<PortableNote> = fc
  .record({
    id: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    title: text,
    content: fc.constantFrom('a', '$$ \'\\\' $1 \u2028 {"b":[1]}', '\t\r\n', '漢👍é'),
    category: fc.constantFrom(...categories),
    group: fc.constantFrom(...groups),
    color: fc.constantFrom(...colors),
    archived: fc.boolean(),
    createdAt: ms,
    age: fc.nat({ max: 3 }),
  })
  .map(({ id, createdAt, age, ...note }) => ({
    ...(id !== undefined && { id }),
    ...createUnstoredNote(note),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(createdAt + age).toISOString(),
  }));

/** For each id the note, followed by its earlier versions, newest first. */
type Model = ReadonlyMap<number, readonly [Note, ...Note[]]>;

/** Merges notes into the model. Those without an id get theirs last. */
function merged(model: Model, notes: readonly PortableNote[]) {
  const after = new Map(model);
  const outcomes = notes.map(({ id, ...rest }): MergeOutcome => {
    if (id === undefined) return 'added';
    const note = { ...rest, id };
    const [before, ...versions] = after.get(id) ?? [];
    const outcome = decideOutcome(note, before);
    if (before === undefined) after.set(id, [note]);
    else if (outcome === 'updated') after.set(id, [note, ...(isSameText(note, before) ? [] : [before]), ...versions]);
    else if (outcome === 'left' && isOlder(note, before)) return older(after, note, [before, ...versions]);
    return outcome;
  });
  return { after, outcomes };
}

function older(
  model: Map<number, readonly [Note, ...Note[]]>,
  note: Note,
  states: readonly [Note, ...Note[]],
): MergeOutcome {
  const [first, ...rest] = states;
  const newer = rest.filter(({ updatedAt }) => updatedAt >= note.updatedAt);
  const next = newer.at(-1);
  if (next === undefined ? isSameText(first, note) : next.updatedAt === note.updatedAt) return 'unchanged';
  model.set(note.id, [first, ...newer, note, ...rest.slice(newer.length)]);
  return 'left';
}

const isOlder = (note: Note, than: Note) => note.createdAt === than.createdAt && note.updatedAt < than.updatedAt;

const isSameText = (one: Note, other: Note) => draftFields.every((field) => one[field] === other[field]);

function decideOutcome(note: Note, before: Note | undefined): MergeOutcome {
  if (before === undefined) return 'added';
  if (note.createdAt !== before.createdAt) return 'left';
  if (note.updatedAt !== before.updatedAt) return note.updatedAt > before.updatedAt ? 'updated' : 'left';
  return Bun.deepEquals(note, before) ? 'unchanged' : 'left';
}

describe.each(stores)('%s', (_, open) => {
  test('agrees with a plain map, whatever is merged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyNote, { maxLength: 8 }), { maxLength: 4 }), async (batches) => {
        await using store = await open();
        let model: Model = new Map();
        for (const notes of batches) {
          const { after, outcomes } = merged(model, notes);
          expect(listOutcomes(await store.merge(notes, { dryRun: true }))).toEqual(outcomes);
          const results = await store.merge(notes);
          expect(listOutcomes(results)).toEqual(outcomes);
          const listed = await store.list();
          const added = listed.filter(({ id }) => !after.has(id));
          const highest = Math.max(0, ...after.keys());
          expect(added.map(copyWithoutId)).toEqual(notes.filter(({ id }) => id === undefined));
          expect(results.map(({ id }) => id).toSorted()).toEqual(
            [...notes.flatMap(({ id }) => id ?? []), ...added.map(({ id }) => id)].toSorted(),
          );
          for (const { id } of added) expect(id).toBeGreaterThan(highest);
          model = new Map([...after, ...added.map((note) => [note.id, [note]] as const)]);
          const states = await Promise.all(
            listed.map(async (note) => [note, ...(await collectEarlierVersions(store, note.id))]),
          );
          expect(states).toEqual(
            [...model.values()].map((all) => [...all]).sort(([a], [b]) => (a?.id ?? 0) - (b?.id ?? 0)),
          );
        }
      }),
      { numRuns: pickByScale(24, 6) },
    );
  });
});
