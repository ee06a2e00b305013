/**
 * Random operations, some concurrent, on each store and on a plain map: after every step every list must agree.
 * fast-check prints the seed of a failure and shrinks it.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { categories, colors, draftFields, groups, type Note, type NoteFilter } from '../../src/core/note.ts';
import type { NoteEngine, NoteStore, PortableStore } from '../../src/core/store.ts';
import { pickByScale } from '../support/scale.ts';
import { stores } from '../support/stores/stores.ts';

const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((value) => !value.includes('\0'));
const fields = {
  title: text,
  content: text,
  category: fc.constantFrom(...categories),
  group: fc.constantFrom(...groups),
  color: fc.constantFrom(...colors),
};
/** Index of an existing note, or of one that does not exist. */
const place = fc.nat({ max: 12 });

const operation = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), draft: fc.record(fields) }),
  fc.record({ kind: fc.constant('update' as const), place, patch: fc.record(fields, { requiredKeys: [] }) }),
  fc.record({ kind: fc.constant('archive' as const), place, archived: fc.boolean() }),
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const filter: fc.Arbitrary<NoteFilter> = fc.record(
  { category: fields.category, group: fields.group, archived: fc.boolean() },
  { requiredKeys: [] },
);
const step = fc.record({ together: fc.array(operation, { minLength: 1, maxLength: 6 }), filter });

/** The fields that an operation changes, and the store's answer: undefined when there is no such note. */
interface Result {
  readonly changes: Partial<Note>;
  readonly note: Note | undefined;
}

async function run(store: NoteStore, known: number, operation: Operation): Promise<Result> {
  if (operation.kind === 'create') {
    return { changes: { ...operation.draft, archived: false }, note: await store.create(operation.draft) };
  }
  const id = operation.place + 1;
  const changes = operation.kind === 'update' ? operation.patch : { archived: operation.archived };
  const written =
    operation.kind === 'update' ? store.update(id, operation.patch) : store.setArchived(id, operation.archived);
  const note = await written.catch((error) => {
    expect({ code: error.code, known: id <= known }).toEqual({ code: 'not_found', known: false });
    return undefined;
  });
  return { changes, note };
}

/** Applies the results to the model in the order of `updatedAt`, and adds texts that were overwritten to `replaced`. */
function apply(model: Map<number, Note>, replaced: Map<number, Note[]>, results: readonly Result[]): void {
  const inOrder = results
    .filter((result): result is Result & { note: Note } => result.note !== undefined)
    .sort((a, b) => (a.note.updatedAt < b.note.updatedAt ? -1 : 1));
  for (const { changes, note } of inOrder) {
    const before = model.get(note.id);
    if (before === undefined) {
      expect(note).toEqual({ ...note, ...changes, createdAt: note.updatedAt });
    } else {
      expect(note).toEqual({ ...before, ...changes, updatedAt: note.updatedAt });
      expect(note.updatedAt > before.updatedAt).toBe(true);
      const isOther = draftFields.some((field) => note[field] !== before[field]);
      if (isOther) replaced.set(note.id, [before, ...(replaced.get(note.id) ?? [])]);
    }
    model.set(note.id, note);
  }
}

/** The store of a database reads all versions together, the client those of one note after the other. */
async function* readAllVersions(store: PortableStore): AsyncGenerator<readonly Note[], void, void> {
  if ('streamAllVersionBatches' in store) yield* (store as NoteEngine).streamAllVersionBatches();
  else for (const { id } of await store.list()) yield* store.history(id);
}

/** The earlier versions of all notes, by id, newest first. */
async function readVersionsByNote(store: PortableStore): Promise<ReadonlyMap<number, readonly Note[]>> {
  const versions = (await Array.fromAsync(readAllVersions(store))).flat();
  return Map.groupBy(versions, ({ id }) => id);
}

const matching = (model: ReadonlyMap<number, Note>, filter: NoteFilter) =>
  [...model.values()]
    .sort((a, b) => a.id - b.id)
    .filter(
      (note) =>
        (filter.category === undefined || note.category === filter.category) &&
        (filter.group === undefined || note.group === filter.group) &&
        (filter.archived === undefined || note.archived === filter.archived),
    );

describe.each(stores)('%s', (_, open) => {
  test('agrees with a plain map after every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await using store = await open();
        const model = new Map<number, Note>();
        const replaced = new Map<number, Note[]>();
        for (const { together, filter } of steps) {
          const creates = together.filter((one) => one.kind === 'create');
          const changes = together.filter((one) => one.kind !== 'create');
          apply(model, replaced, await Promise.all(creates.map((one) => run(store, model.size, one))));
          apply(model, replaced, await Promise.all(changes.map((one) => run(store, model.size, one))));
          expect(await store.list()).toEqual(matching(model, {}));
          expect(await store.list(filter)).toEqual(matching(model, filter));
        }
        expect(await readVersionsByNote(store)).toEqual(replaced);
      }),
      { numRuns: pickByScale(50, 12) },
    );
  });
});
