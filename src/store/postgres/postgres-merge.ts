import { NoteError } from '../../core/error.ts';
import type { Origin, PortableNote } from '../../core/note.ts';
import type { MergeResult } from '../../core/store.ts';
import { columnListSql, fieldsWithoutId, replaceOnConflictSql, toNote } from '../note-fields.ts';
import type { MergeOptions } from '../note-storage.ts';
import {
  collectIdsOlderThanStored,
  collectNoteIds,
  collectOriginKeys,
  completeWithAssignedIds,
  type MergePlan,
  planMergeInSteps,
  type StoredForMerge,
  toNoteWithIdWithoutOrigin,
} from '../plan-merge.ts';
import { runInSlices } from '../run-in-slices.ts';
import * as storeMessage from '../store-messages.ts';
import { isPlacementDistributedById, type Placement } from './citus-placement.ts';
import { type Connection, rollBackAndRelease } from './connection-pool.ts';
import { DatabaseError } from './postgres-errors.ts';
import { lockNotesSql, selectNotesSql } from './postgres-note-writes.ts';
import { raiseIdSequenceSql } from './postgres-settings-writes.ts';
import { awaitCommitSql } from './postgres-transactions.ts';
import {
  deleteExcessVersionsSql,
  insertVersionsFromNotesSql,
  insertVersionsSql,
  readVersionTimesByNote,
} from './postgres-versions.ts';
import { insertNotesSql, noteRecordsetSql, type PostgresNoteRow, quoteJsonSql } from './recordset.ts';

interface MergeSettings extends MergeOptions {
  /** Maximum number of versions stored per note; 0 stores none. */
  readonly maxVersions: number;
  readonly placement: Placement;
  /** Called with the ids of all notes that the merge writes, before it commits. */
  readonly announce?: ((ids: readonly number[]) => Promise<void>) | undefined;
}

/** Merges notes in one transaction and releases the connection. Throws `unavailable` if the role lacks a right. */
export async function mergeNotesAndRelease(
  connection: Connection,
  notes: readonly PortableNote[],
  settings: MergeSettings,
): Promise<readonly MergeResult[]> {
  try {
    const insertedIds = settings.isDryRun
      ? new Set<number>()
      : await beginAndInsertUnusedIds(connection, notes, settings);
    const stored = await lockAndReadForMerge(connection, notes, insertedIds, settings);
    const plan = await runInSlices(planMergeInSteps(notes, stored, settings.maxVersions));
    const newIds = settings.isDryRun
      ? []
      : await commitPlanAndReturnNewIds(connection, plan, stored, insertedIds, settings);
    connection.release();
    return completeWithAssignedIds(plan, newIds).results;
  } catch (error) {
    await rollBackAndRelease(connection);
    if (!(error instanceof DatabaseError && error.sqlState === '42501')) throw error;
    const [table = 'its tables'] = ownNames.exec(error.message) ?? [];
    throw new NoteError('unavailable', storeMessage.missingRight(table), { outcome: 'none', cause: error });
  }
}

/** Matches our tables and sequences in an error message, in any language. */
const ownNames = /\bnotes?_\w+|\bnotes\b/;

/** Merges run one after the other: two that advance the sequence at once could set it back. */
const lockMergesSql = `SELECT pg_advisory_xact_lock(${0x4e6f7465})`;

/**
 * Begins the transaction and inserts the notes whose ids are unused. If another transaction is creating a note under
 * such an id, the insert waits for it, and the note is found then. Returns the inserted ids.
 */
async function beginAndInsertUnusedIds(
  connection: Connection,
  notes: readonly PortableNote[],
  { lastId, placement }: MergeSettings,
): Promise<ReadonlySet<number>> {
  const hasAdvisoryLocks = placement.isPlain || placement.citus !== undefined;
  const firstById = new Map(notes.toReversed().flatMap((note) => (note.id === undefined ? [] : [[note.id, note]])));
  const firsts = Array.from(firstById, ([id, note]) => toNoteWithIdWithoutOrigin(id, note));
  const highest = Math.max(lastId, ...firstById.keys());
  const statements = [
    `BEGIN; SELECT ${awaitCommitSql}`,
    ...(hasAdvisoryLocks ? [lockMergesSql] : []),
    ...(highest > 0 ? [raiseIdSequenceSql(highest)] : []),
    `${insertNotesSql(firsts)} ON CONFLICT (id) DO NOTHING RETURNING id`,
  ];
  const inserted = await connection.query<{ id: string }>(statements.join('; '));
  return new Set(inserted.map(({ id }) => Number(id)));
}

/** Locks and reads what the plan needs to know. */
async function lockAndReadForMerge(
  connection: Connection,
  notes: readonly PortableNote[],
  insertedIds: ReadonlySet<number>,
  { isDryRun, placement }: MergeSettings,
): Promise<StoredForMerge> {
  const originOwners = await readOriginOwners(connection, collectOriginKeys(notes));
  const ids = collectNoteIds(notes).filter((id) => !insertedIds.has(id));
  if (ids.length === 0) return { notes: new Map(), versionTimes: new Map(), originOwners };
  // Citus cannot lock rows of several shards; an update without changes does
  const isLockedByUpdate = !isDryRun && isPlacementDistributedById(placement);
  if (isLockedByUpdate) await connection.query(`UPDATE notes SET archived = archived WHERE id IN (${ids})`);
  const rows = await connection.query<PostgresNoteRow>(
    isDryRun || isLockedByUpdate ? selectNotesSql(ids) : lockNotesSql(ids),
  );
  const stored = new Map(rows.map((row) => [Number(row.id), toNote(row)]));
  const versionTimes = await readVersionTimesByNote(connection, collectIdsOlderThanStored(notes, stored));
  return { notes: stored, versionTimes, originOwners };
}

/** Stores what was planned, commits, and returns the new ids of `inserted`, in order. */
async function commitPlanAndReturnNewIds(
  connection: Connection,
  plan: MergePlan,
  stored: StoredForMerge,
  insertedIds: ReadonlySet<number>,
  { maxVersions, announce }: MergeSettings,
): Promise<readonly number[]> {
  const { written, versions, inserted } = plan;
  const storedVersions = versions.filter((version) => stored.notes.get(version.id) === version);
  const otherVersions = versions.filter((version) => stored.notes.get(version.id) !== version);
  if (storedVersions.length > 0) await connection.query(insertVersionsFromNotesSql(storedVersions.map(({ id }) => id)));
  if (written.length > 0) await connection.query(`${insertNotesSql(written)} ${replaceOnConflictSql}`);
  if (otherVersions.length > 0) await connection.query(insertVersionsSql(otherVersions));
  const versionedIds = [...new Set(versions.map(({ id }) => id))];
  if (versionedIds.length > 0) await connection.query(deleteExcessVersionsSql(versionedIds, maxVersions));
  const newIds = inserted.length > 0 ? await insertNotesWithNewIds(connection, inserted) : [];
  const { origins } = completeWithAssignedIds(plan, newIds);
  if (origins.size > 0) await connection.query(upsertOriginsSql(origins));
  await announce?.([...new Set([...insertedIds, ...written.map(({ id }) => id), ...versionedIds, ...newIds])]);
  await connection.query('COMMIT');
  return newIds;
}

/** Inserts notes without id, in order, and returns their new ids. */
async function insertNotesWithNewIds(
  connection: Connection,
  inserted: MergePlan['inserted'],
): Promise<readonly number[]> {
  const columns = columnListSql(fieldsWithoutId);
  const records = noteRecordsetSql(
    inserted.map(({ note }, ordinal) => ({ ...toNoteWithIdWithoutOrigin(0, note), ordinal })),
  );
  const rows = await connection.query<{ id: string }>(
    `INSERT INTO notes (${columns}) SELECT ${columns} FROM ${records} ORDER BY ordinal RETURNING id`,
  );
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

const textLiteralSql = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Reads the ids of stored notes that have these origins, by the keys of the origins. */
async function readOriginOwners(connection: Connection, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await connection.query<{ id: string; key: string }>(
    `SELECT notes.id, key FROM note_origins JOIN notes ON notes.id = note_id WHERE key IN (${keys.map(textLiteralSql)})`,
  );
  return new Map(rows.map(({ id, key }) => [key, Number(id)]));
}

function upsertOriginsSql(origins: ReadonlyMap<number, Origin>): string {
  const rows = Array.from(origins, ([note_id, { key, taken }]) => ({ note_id, key, taken }));
  return `INSERT INTO note_origins (note_id, key, taken)
    SELECT note_id, key, taken FROM json_to_recordset(${quoteJsonSql(JSON.stringify(rows))})
      AS origin(note_id bigint, key text, taken text) ORDER BY note_id
    ON CONFLICT (note_id) DO UPDATE SET key = excluded.key, taken = excluded.taken`;
}
