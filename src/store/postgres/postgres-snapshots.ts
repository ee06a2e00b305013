import { Semaphore } from '../../core/concurrency.ts';
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import { categories, groups, type Note, type NoteFilter } from '../../core/note.ts';
import { noteColumnsSql, toNote } from '../note-fields.ts';
import type { ListSnapshot } from '../note-storage.ts';
import { type ConnectionPool, type RunQuery, rollBackAndRelease } from './connection-pool.ts';
import type { PostgresNoteRow } from './recordset.ts';

/** Limits of a page: notes, and bytes of their texts. A longer note is a page of its own. */
const maxPageNotes = 1_024;
const maxPageBytes = 512 * 1024;

/** The number of long lists that are read at the same time. */
const maxSnapshots = 16;

type PageRow = PostgresNoteRow & { readonly found: string };

const unescapedLiteralsSql = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** A condition that names all columns of the index, so that PostgreSQL uses it for every filter. */
export const filterConditionSql = ({ archived, category, group }: NoteFilter): string =>
  `archived IN (${archived ?? 'false, true'}) AND category IN (${unescapedLiteralsSql(category ? [category] : categories)})
   AND "group" IN (${unescapedLiteralsSql(group ? [group] : groups)})`;

/** Selects the next notes after an id. Reads only sizes first, and then the texts of those that fit into the page. */
export const selectPageSql = (filter: NoteFilter, after: number | string): string => `
  WITH first AS (SELECT id, octet_length(title) + octet_length(content) AS bytes FROM notes
      WHERE ${filterConditionSql(filter)} AND id > ${after} ORDER BY id LIMIT ${maxPageNotes}),
    sized AS (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM first),
    page AS (SELECT max(id) FILTER (WHERE bytes_before < ${maxPageBytes}) AS last, count(*) AS found FROM sized)
  SELECT ${noteColumnsSql}, (SELECT found FROM page) AS found FROM notes
  WHERE ${filterConditionSql(filter)} AND id > ${after} AND id <= (SELECT last FROM page) ORDER BY id`;

const isLastPage = (page: readonly PageRow[]) =>
  page.length < maxPageNotes && page.length === Number(page[0]?.found ?? 0);

/** Reads lists: short ones by one statement, long ones page by page in a transaction that sees one snapshot. */
export class PostgresListReader {
  readonly #connections: ConnectionPool;
  readonly #fingerprintSql: string | undefined;
  readonly #permits: Semaphore;

  /**
   * `fingerprintSql` selects the fingerprint of the log of changes, if there is one. At most `max` transactions are open
   * at once; further readers wait up to `waitMs`.
   */
  constructor(
    connections: ConnectionPool,
    fingerprintSql: string | undefined,
    { max, waitMs }: { max: number; waitMs: number },
  ) {
    this.#connections = connections;
    this.#fingerprintSql = fingerprintSql;
    const createTimeoutError = () => new NoteError('busy', message.busy);
    this.#permits = new Semaphore({ max: Math.min(max, maxSnapshots), waitMs, createTimeoutError });
  }

  /** Reads a list that fits into one page, which needs no transaction. */
  async readListIfWithinChars(filter: NoteFilter, maxLength: number): Promise<readonly Note[] | undefined> {
    const page = await this.#connections.readWithRetries<PageRow>(selectPageSql(filter, 0));
    const length = page.reduce((sum, { title, content }) => sum + title.length + content.length, 0);
    return isLastPage(page) && length <= maxLength ? page.map(toNote) : undefined;
  }

  /** Undefined without the log of changes, from which the fingerprint is computed. */
  async readNotesFingerprintIfLogged(): Promise<string | undefined> {
    if (this.#fingerprintSql === undefined) return undefined;
    const [row] = await this.#connections.readWithRetries<{ fingerprint: string }>(this.#fingerprintSql);
    return row?.fingerprint;
  }

  /** Opens a snapshot. It holds a connection until its pages have been read to the end or returned. */
  async openListSnapshot(filter: NoteFilter): Promise<ListSnapshot> {
    await using held = new AsyncDisposableStack();
    held.adopt(await this.#permits.acquirePermitOrTimeOut(), (permit) => permit.release());
    const connection = held.adopt(await this.#connections.reserve(), rollBackAndRelease);
    const run = <Row>(statement: string) => connection.query<Row>(statement);
    await run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const [row] = this.#fingerprintSql ? await run<{ fingerprint: string }>(this.#fingerprintSql) : [];
    const pages = streamPagesAndRelease(run, filter, held.move());
    await pages.next(); // the generator runs from here on, so that its end releases the connection
    return { fingerprint: row?.fingerprint, pages };
  }
}

/**
 * Yields the pages, after an empty one: a generator that has not begun to run does not release its resources when it is
 * returned.
 */
async function* streamPagesAndRelease(
  run: RunQuery,
  filter: NoteFilter,
  resources: AsyncDisposableStack,
): ListSnapshot['pages'] {
  await using _ = resources;
  yield [];
  for (let last = '0'; ; ) {
    const page = await run<PageRow>(selectPageSql(filter, last));
    last = page.at(-1)?.id ?? last;
    if (page.length > 0) yield page.map(toNote);
    if (isLastPage(page)) return;
  }
}
