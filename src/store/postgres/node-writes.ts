/**
 * Writes to notes on the shards of one node of Citus: one statement reads them, and a second one, which runs on that node,
 * stores what was decided. Each statement for a shard would cost the coordinator as much as such a statement for a node.
 */
import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { type CreateWrite, createNoteFromDraft, type Write, type WriteResult } from '../decide-write.ts';
import * as storeMessage from '../store-messages.ts';
import { type AnnouncedBatch, findNoteId } from './announced-writes.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { ContestedNotes } from './contested-notes.ts';
import { classifyError } from './postgres-errors.ts';
import {
  type DecidedWrites,
  decideWrites,
  insertVersionsStatements,
  listChangedIds,
  listVersionedIds,
  selectNotesSql,
  updateNotesIfUnchangedSql,
} from './postgres-note-writes.ts';
import type { OpenPostgresDatabase } from './postgres-transactions.ts';
import { insertNotesSql, type PostgresNoteRow } from './recordset.ts';

/** `$1`: a note of the node; `$2`: the shards of the notes; the others are explained in the function. */
const writeOnNodeSql =
  'SELECT write_on_node($1::bigint, $2::bigint[], $3::text, $4::bigint, $5::bigint[], $6::bigint) AS is_written';

const selectNodesSql = `SELECT shardid::text AS shard, groupid::text AS node FROM pg_dist_placement
  JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'notes'::regclass`;

interface NodeWriterSettings {
  /** Overrides the clock of the database, in ms since 1970. */
  readonly now: (() => number) | undefined;
  readonly maxVersions: number;
}

/**
 * Commits writes to the notes of one node at a time. Nothing is locked between the two statements: the second one undoes
 * itself if others have changed the notes meanwhile, and the caller writes them in another way.
 */
export class NodeWriter {
  /** Notes that are better written in another way. */
  readonly contestedNotes = new ContestedNotes();
  readonly #connections: ConnectionPool;
  readonly #settings: NodeWriterSettings;
  /** The node of each shard, as it was read last. It may be outdated. */
  #nodes: ReadonlyMap<string, string> = new Map();

  constructor({ connections }: OpenPostgresDatabase, settings: NodeWriterSettings) {
    this.#connections = connections;
    this.#settings = settings;
  }

  /** Groups writes by the nodes of their notes. */
  async groupByNode(writes: readonly Write[], batch: AnnouncedBatch): Promise<readonly (readonly Write[])[]> {
    const shards = writes.map((write) => batch.shards.get(findNoteId(write, batch)) ?? '');
    if (!shards.every((shard) => this.#nodes.has(shard))) await this.#readNodes();
    return [...Map.groupBy(writes.keys(), (index) => this.#nodes.get(shards[index] ?? '')).values()].map((indexes) =>
      indexes.flatMap((index) => writes[index] ?? []),
    );
  }

  async #readNodes(): Promise<void> {
    const rows = await this.#connections.readWithRetries<{ shard: string; node: string }>(selectNodesSql);
    this.#nodes = new Map(rows.map(({ shard, node }) => [shard, node]));
  }

  /**
   * Commits writes to notes of one node. Returns undefined, and has written nothing, if a note was changed since it was
   * read, or a shard has moved. Throws errors of the database; `busy` if the connection broke before a write.
   */
  async tryCommit(writes: readonly Write[], batch: AnnouncedBatch): Promise<readonly WriteResult[] | undefined> {
    const now = this.#settings.now?.() ?? batch.now;
    const rows = await this.#readNotes(listChangedIds(writes));
    const decided = decideWrites(writes, { rows, busy: new Set(), now });
    const created = createAnnouncedNotes(decided.creates, batch, now);
    const ids = [...created, ...decided.changes].map(({ id = 0 }) => id);
    if (ids.length > 0 && !(await this.#store(decided, created, ids, batch))) {
      this.contestedNotes.add(listChangedIds(writes));
      this.#nodes = new Map();
      return undefined;
    }
    return decided.toWriteResults(created);
  }

  async #readNotes(ids: readonly number[]): Promise<readonly PostgresNoteRow[]> {
    if (ids.length === 0) return [];
    try {
      return await this.#connections.readWithRetries<PostgresNoteRow>(selectNotesSql(ids));
    } catch (error) {
      if (classifyError(error) !== 'uncertain') throw error;
      throw new NoteError('busy', storeMessage.storeUnreachable, { outcome: 'none', cause: error });
    }
  }

  /** Returns whether the notes were stored. */
  async #store(
    { changes, storedVersionIds, laterVersions }: DecidedWrites,
    created: readonly Note[],
    ids: readonly number[],
    { shards }: AnnouncedBatch,
  ): Promise<boolean> {
    const { maxVersions } = this.#settings;
    const statements = [
      ...(created.length > 0 ? [insertNotesSql(created)] : []),
      ...(maxVersions > 0 ? insertVersionsStatements(storedVersionIds, laterVersions) : []),
      ...(changes.length > 0 ? [updateNotesIfUnchangedSql(changes)] : []),
    ];
    const [row] = await this.#connections.query<{ is_written: boolean }>(writeOnNodeSql, [
      ids[0],
      `{${[...new Set(ids.flatMap((id) => shards.get(id) ?? []))]}}`,
      statements.join('; '),
      changes.length > 0 ? changes.length : created.length,
      `{${maxVersions > 0 ? listVersionedIds(storedVersionIds, laterVersions) : []}}`,
      maxVersions,
    ]);
    return row?.is_written === true;
  }
}

/** Creates the notes of drafts under the ids that were announced. */
export const createAnnouncedNotes = (
  creates: readonly CreateWrite[],
  { newIds }: AnnouncedBatch,
  now: number,
): readonly Note[] => creates.map((write) => createNoteFromDraft(newIds.get(write) ?? 0, write.draft, now));
