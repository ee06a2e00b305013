import { NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import { categories, groups, type NoteFilter } from '../../core/note.ts';
import type { JsonChunks } from '../../core/store.ts';
import { Semaphore } from '../../core/tools/concurrency.ts';
import { chunksOf } from '../lists.ts';
import { columns, type NoteJson, noteJsonOf } from '../row.ts';
import { type Connection, type Connections, rollBack } from './connections.ts';
import { selectState } from './postgres-log.ts';
import type { NoteRow } from './row.ts';

/** Limits of a page: notes, and bytes of their texts. A note that is longer makes a page alone. */
const pageNotes = 1_024;
const pageBytes = 512 * 1024;

/** Lists up to this length, in UTF-16 units, are answered whole even if they are not cached. */
const wholeLength = 1024 * 1024;

/** Long lists that are read at once. */
const maxLong = 16;

type PageRow = NoteRow & { readonly found: string };

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Names all columns of the index, to use it for every filter. */
export const conditionOf = ({ archived, category, group }: NoteFilter) =>
  `archived IN (${archived ?? 'false, true'}) AND category IN (${quoted(category ? [category] : categories)})
   AND "group" IN (${quoted(group ? [group] : groups)})`;

/** The next notes after an id. Looks at their sizes before their texts. */
export const selectPage = (filter: NoteFilter, after: number | string) => `
  WITH first AS (SELECT id, octet_length(title) + octet_length(content) AS bytes FROM notes
      WHERE ${conditionOf(filter)} AND id > ${after} ORDER BY id LIMIT ${pageNotes}),
    sized AS (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM first),
    page AS (SELECT max(id) FILTER (WHERE bytes_before < ${pageBytes}) AS last, count(*) AS found FROM sized)
  SELECT ${columns}, (SELECT found FROM page) AS found FROM notes
  WHERE ${conditionOf(filter)} AND id > ${after} AND id <= (SELECT last FROM page) ORDER BY id`;

const revisionOf = (state: string, filter: NoteFilter) =>
  Bun.hash.xxHash3(JSON.stringify([state, filter])).toString(36);

const lengthOf = (entries: readonly NoteJson[]) => entries.reduce((sum, { json }) => sum + json.length, 0);

const isLast = (page: readonly PageRow[]) => page.length < pageNotes && page.length === Number(page[0]?.found ?? 0);

/** A list at one moment. */
export interface Listing {
  readonly entries: readonly NoteJson[];
  /** If it is long: the revision, and all of its JSON unless that is known. Holds a connection until its end. */
  readonly long: { readonly revision: string; readonly chunks: JsonChunks | undefined } | undefined;
}

type Pages = AsyncGenerator<readonly PageRow[], void, void>;

/** Reads lists, those of several pages in a transaction that sees one snapshot. */
export class PageReader {
  readonly #connections: Connections;
  readonly #hasLog: boolean;
  readonly #turns: Semaphore;

  /** At most `max` long lists are read at once; others wait up to `waitMs`. */
  constructor(connections: Connections, hasLog: boolean, { max, waitMs }: { max: number; waitMs: number }) {
    this.#connections = connections;
    this.#hasLog = hasLog;
    const refuse = () => new NoteError('busy', message.busy);
    this.#turns = new Semaphore({ max: Math.min(max, maxLong), waitMs, refuse });
  }

  /** Reads a list; one longer than `maxLength`, in UTF-16 units, as chunks. */
  async read(filter: NoteFilter, known: readonly string[], maxLength = wholeLength): Promise<Listing> {
    const now = await this.#findKnownRevision(filter, known);
    if (now !== undefined) return { entries: [], long: { revision: now, chunks: undefined } };
    const first = await this.#connections.read<PageRow>(selectPage(filter, 0));
    const few = first.map(noteJsonOf);
    if (isLast(first) && lengthOf(few) <= maxLength) return { entries: few, long: undefined };
    const { state, pages } = await this.#begin(filter, this.#hasLog);
    const entries: NoteJson[] = [];
    for (let [length, next] = [0, await pages.next()]; !next.done; next = await pages.next()) {
      const some = next.value.map(noteJsonOf);
      entries.push(...some);
      length += lengthOf(some);
      if (length > maxLength) {
        const revision = state === undefined ? crypto.randomUUID() : revisionOf(state, filter);
        return { entries: [], long: { revision, chunks: chunksOf(entries, pages) } };
      }
    }
    return { entries, long: undefined };
  }

  /** Returns the present revision if it is one of the `known` ones. Needs neither a turn nor a transaction. */
  async #findKnownRevision(filter: NoteFilter, known: readonly string[]): Promise<string | undefined> {
    if (!this.#hasLog || known.length === 0) return undefined;
    const [row] = await this.#connections.read<{ state: string }>(selectState);
    const revision = row && revisionOf(row.state, filter);
    return revision !== undefined && known.includes(revision) ? revision : undefined;
  }

  /** Yields the matching notes in pages, from one snapshot. */
  async *pages(filter: NoteFilter): AsyncGenerator<readonly NoteRow[], void, void> {
    const { pages } = await this.#begin(filter, false);
    yield* pages;
  }

  /** Takes a snapshot, which is held until the pages end or are returned. Only the log can name its state. */
  async #begin(filter: NoteFilter, isNamed: boolean): Promise<{ state: string | undefined; pages: Pages }> {
    await using held = new AsyncDisposableStack();
    held.adopt(await this.#turns.acquire(), (turn) => turn.release());
    const connection = held.adopt(await this.#connections.hold(), rollBack);
    await connection.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const [row] = isNamed ? await connection.run<{ state: string }>(selectState) : [];
    const pages = pagesOf(connection, filter, held.move());
    await pages.next(); // from here on its end releases the connection
    return { state: row?.state, pages };
  }
}

/** First yields nothing. */
async function* pagesOf(connection: Connection, filter: NoteFilter, resources: AsyncDisposableStack): Pages {
  await using _ = resources;
  yield [];
  for (let last = '0'; ; ) {
    const page = await connection.run<PageRow>(selectPage(filter, last));
    last = page.at(-1)?.id ?? last;
    if (page.length > 0) yield page;
    if (isLast(page)) return;
  }
}
