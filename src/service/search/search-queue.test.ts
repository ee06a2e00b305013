import { expect, test } from 'bun:test';
import { isEventuallyTrue } from '../../../test/support/eventually.ts';
import { createPortableNote } from '../../../test/support/sample-notes.ts';
import type { Note, NoteFilter } from '../../core/note.ts';
import type { JsonList } from '../../core/store.ts';
import { searchBatchesForBestNotes } from './best-notes.ts';
import { SearchQueue } from './search-queue.ts';
import type { FoundJson } from './search-results-json.ts';

const note = (id: number, title: string, category: Note['category'] = 'notes') => {
  const updatedAt = `2026-01-01T00:00:00.${String(id).padStart(3, '0')}Z`;
  return createPortableNote(id, { title, content: 'žluťoučký needle 🐎', category, updatedAt });
};

/** What a store has at one revision. */
class Lists {
  notes = [note(1, 'needle'), note(2, 'x', 'css')];
  revision = 'first';
  isLong = false;
  /** Resolves to release the first chunk. */
  begin = async () => {};
  closed = 0;
  readonly said: (JsonList['kind'] | NoteFilter['category'] | 'newest')[] = [];

  listJson({ category }: NoteFilter, known: readonly string[] = []): JsonList {
    const list = this.#list(known);
    this.said.push(category ?? list.kind);
    return list;
  }

  async readLastChangedNotesAndTotal() {
    this.said.push('newest');
    await this.begin();
    return { notes: this.notes, total: this.notes.length };
  }

  #list(known: readonly string[]): JsonList {
    const { revision } = this;
    if (known.includes(revision)) return { kind: 'unchanged', revision };
    const bytes = new TextEncoder().encode(JSON.stringify(this.notes));
    if (!this.isLong)
      return { kind: 'whole', revision, body: { size: bytes.length, parts: [bytes], whole: () => bytes } };
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.slice(7 * n, 7 * n + 7));
    const next = async () => {
      await this.begin();
      return pieces.shift();
    };
    const close = async () => void this.closed++;
    return { kind: 'chunks', revision, chunks: { next, close } };
  }
}

const needle = { query: 'needle', filter: {}, limit: 10 };

const shown = ({ json, count, total }: FoundJson) => ({
  notes: JSON.parse(new TextDecoder().decode(json)),
  count,
  total,
});

async function best(notes: readonly Note[]) {
  async function* batches() {
    yield notes;
  }
  const found = await searchBatchesForBestNotes(batches(), needle);
  return { notes: found.notes, count: found.notes.length, total: found.total };
}

test('the thread finds the same as a search, in the current list', async () => {
  const lists = new Lists();
  using searches = new SearchQueue(lists);

  const first = await searches.search(needle);
  const again = await searches.search({ query: 'x', filter: { category: 'css' }, limit: 1 });
  lists.notes = [note(1, 'nothing'), note(2, 'x', 'css'), note(3, 'the needle')];
  lists.revision = 'second';
  const later = await searches.search(needle);

  expect(shown(first)).toEqual(await best([note(1, 'needle'), note(2, 'x', 'css')]));
  expect(shown(again)).toMatchObject({ notes: [{ id: 2 }], count: 1, total: 1 });
  expect(shown(later)).toEqual(await best(lists.notes));
  expect(lists.said).toEqual(['whole', 'unchanged', 'whole']);
});

test('returns excerpts instead of notes on request, as many as fit', async () => {
  using searches = new SearchQueue(new Lists());

  const found = await searches.search({ ...needle, excerptCharacters: 1_000 });
  const fewer = await searches.search({ ...needle, excerptCharacters: 250 });

  expect(shown(found)).toMatchObject({ notes: [{ id: 1, excerpt: 'žluťoučký needle 🐎' }, { id: 2 }], total: 2 });
  expect(shown(fewer)).toMatchObject({ notes: [{ id: 1 }], count: 1, total: 2 });
});

test.each(['needle', ''])('an response to "%s" has at most 1 MiB, or one note', async (query) => {
  const lists = new Lists();
  lists.notes = [4, 3, 2, 1].map((id) => ({ ...note(id, 'needle'), content: '\u0001é'.repeat(50_000) }));
  using searches = new SearchQueue(lists);

  const fitting = await searches.search({ ...needle, query });
  lists.notes = lists.notes.map((note) => ({ ...note, content: note.content.repeat(4) }));
  lists.revision = 'second';
  const huge = await searches.search({ ...needle, query });

  expect(fitting.json.length).toBeLessThanOrEqual(1024 * 1024);
  expect([fitting, huge].map(({ count, total }) => [count, total])).toEqual([
    [2, 4],
    [1, 4],
  ]);
});

test('a list in chunks is searched, kept, and shared by waiting searches', async () => {
  const lists = new Lists();
  lists.isLong = true;
  using searches = new SearchQueue(lists);
  const expected = await best(lists.notes);

  const found = await Promise.all(Array.from({ length: 20 }, () => searches.search(needle)));

  expect(found.map(shown)).toEqual(Array.from({ length: 20 }, () => expected));
  expect(lists.said).toEqual(['chunks', 'unchanged', 'unchanged', 'unchanged']);
  expect(lists.closed).toBe(1);
});

test('a list that is too long to be kept is searched as it comes, then as far as the filter lets through', async () => {
  const lists = new Lists();
  const long = (id: number) => ({ ...note(id, 'needle'), content: 'x'.repeat(256 * 1024) });
  lists.listJson = ({ category }) => {
    lists.said.push(category ?? 'chunks');
    const all = Array.from({ length: 130 }, (_, index) => JSON.stringify(long(index + 1)));
    const pieces = [`[${all[0]}`, ...all.slice(1).map((text) => `,${text}`), ']'].map((text) =>
      new TextEncoder().encode(text),
    );
    return { kind: 'chunks', revision: 'r', chunks: { next: async () => pieces.shift(), close: async () => {} } };
  };
  using searches = new SearchQueue(lists);

  const first = await searches.search({ ...needle, limit: 3 });
  const others = [{ category: 'css' } as const, {}, {}];
  const later = await Promise.all(others.map((filter) => searches.search({ query: 'needle', filter, limit: 1 })));

  expect(shown(first)).toMatchObject({ notes: [{ id: 130 }, { id: 129 }, { id: 128 }], total: 130 });
  expect(later.map(({ total }) => total)).toEqual([0, 130, 130]);
  expect(lists.said).toEqual(['chunks', 'css', 'chunks']);
});

test('the store itself runs searches without words, one at a time, and no aborted ones', async () => {
  const lists = new Lists();
  const started = Promise.withResolvers<void>();
  lists.begin = () => started.promise;
  using searches = new SearchQueue(lists);
  const client = new AbortController();
  const any = { ...needle, query: ' ' };

  const found = [
    searches.search(any),
    searches.search({ ...any, excerptCharacters: 250 }),
    searches.search(any, client.signal),
  ];
  await isEventuallyTrue(() => lists.said.length > 0);
  const atFirst = [...lists.said];
  client.abort();
  started.resolve();

  expect((await Promise.all(found)).map(({ count, total }) => [count, total])).toEqual([
    [2, 2],
    [1, 2],
    [0, 0],
  ]);
  expect(atFirst).toEqual(['newest']);
  expect(lists.said).toEqual(['newest', 'newest']);
});

test('a broken list fails with the error of the thread, and is not searched again', async () => {
  const lists = new Lists();
  using searches = new SearchQueue(lists);
  const { listJson } = lists;
  const bytes = new TextEncoder().encode('[');
  lists.listJson = () => ({ kind: 'whole', revision: 'broken', body: { size: 1, parts: [bytes], whole: () => bytes } });

  const failed = await searches.search(needle).catch((error) => error);
  lists.listJson = listJson;

  expect(failed).toBeInstanceOf(SyntaxError);
  expect((await searches.search(needle)).total).toBe(2);
  expect(lists.said).toEqual(['whole']);
});

test('a search that fails does not stop the next one', async () => {
  const lists = new Lists();
  lists.isLong = true;
  lists.begin = () => Promise.reject(new Error('The store failed'));
  using searches = new SearchQueue(lists);

  const failed = await Promise.allSettled([searches.search(needle), searches.search(needle)]);
  lists.begin = async () => {};

  expect(failed).toMatchObject([
    { status: 'rejected', reason: { message: 'The store failed' } },
    { status: 'rejected', reason: { message: 'The store failed' } },
  ]);
  expect((await searches.search(needle)).total).toBe(2);
  expect(await isEventuallyTrue(() => lists.closed === 3)).toBe(true);
});

test.each(['', 'needle'])(
  'searches for "%s" beyond the limit are rejected, and aborted ones make room',
  async (query) => {
    using searches = new SearchQueue(new Lists());
    const client = new AbortController();

    const many = Array.from({ length: 300 }, () => searches.search({ ...needle, query }, client.signal));
    client.abort();
    const one = searches.search(needle);
    const outcomes = await Promise.allSettled(many);

    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(43);
    expect((await one).total).toBe(2);
  },
);
