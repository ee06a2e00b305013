import { NoteError } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import type { Note, PortableNote } from '../../../domain/note.ts';
import type { MergeOutcome } from '../../../domain/store.ts';
import { asStored, decideMerge, hasId, isStored, originsById, type StoredNote, settleOrigins } from '../../merge.ts';
import { columns, replacing, timestamp } from '../../row.ts';
import { type Connection, rollBack } from '../connections.ts';
import { DatabaseError } from '../failure.ts';
import { isDistributed, type Placement } from '../placement.ts';
import { ownersAmong, putOrigins } from '../postgres-origins.ts';
import { continueAfter } from '../postgres-reads.ts';
import { awaitCommit } from '../postgres-transactions.ts';
import { insertVersions, keepStored, type StateRow, selectStates, trimVersions } from '../postgres-versions.ts';
import { recordsOf as recordsOfNotes } from '../row.ts';
import { type History, type KeptVersions, type NoteWithOutcome, versionsToKeep } from './merge-versions.ts';

interface MergeRules {
  readonly dryRun: boolean;
  /** New ids follow this one. */
  readonly lastId: number;
  /** Maximum number of versions kept per note; 0 keeps none. */
  readonly maxVersions: number;
  readonly placement: Placement;
}

/** Merges notes in one transaction and releases the connection. Throws `unavailable` if the role lacks a right. */
export async function merge(connection: Connection, notes: readonly PortableNote[], rules: MergeRules) {
  try {
    const outcomes = rules.dryRun ? await dryRunOf(connection, notes, rules) : await perform(connection, notes, rules);
    connection.release();
    return outcomes;
  } catch (error) {
    await rollBack(connection);
    if (!(error instanceof DatabaseError && error.sqlState === '42501')) throw error;
    const [table = 'its tables'] = ownNames.exec(error.message) ?? [];
    throw new NoteError('unavailable', message.rightMissing(table), { outcome: 'none', cause: error });
  }
}

/** Matches our tables and sequences in an error message, in any language. */
const ownNames = /\bnotes?_\w+|\bnotes\b/;

/** A note and its index among those to merge. */
interface Indexed {
  readonly index: number;
  readonly note: PortableNote;
}

const indexed = (notes: readonly PortableNote[]): readonly Indexed[] => notes.map((note, index) => ({ index, note }));

async function dryRunOf(connection: Connection, notes: readonly PortableNote[], { maxVersions }: MergeRules) {
  const owners = await ownersAmong(connection, notes);
  const judgment = judged(notes, await presentAmong(connection, indexed(notes), ''));
  const { outcomes } = settleOrigins(notes, judgment.outcomes, owners);
  return withVersions(outcomes, await versionsAmong(connection, notes, outcomes, maxVersions));
}

/**
 * Inserts notes with unused ids first, then locks and compares the others. A note created meanwhile is waited for and
 * found.
 */
async function perform(
  connection: Connection,
  notes: readonly PortableNote[],
  { lastId, maxVersions, placement }: MergeRules,
) {
  const hasAdvisoryLocks = placement.isPlain || placement.citus !== undefined;
  const firsts = new Map(notes.toReversed().flatMap((note) => (hasId(note) ? [[note.id, note]] : [])));
  const highest = Math.max(lastId, ...firsts.keys());
  const inserted = await connection.run<{ id: string }>(
    [
      `BEGIN; SELECT ${awaitCommit}`,
      ...(hasAdvisoryLocks ? [lockMerges] : []),
      ...(highest > 0 ? [continueAfter(highest)] : []),
      `${insert([...firsts.values()])} ON CONFLICT (id) DO NOTHING RETURNING id`,
    ].join('; '),
  );
  const isNew = new Set(inserted.map(({ id }) => Number(id)));
  const others = indexed(notes).filter(({ note }) => hasId(note) && !isNew.has(note.id));
  const canLockJoined = !isDistributed(placement);
  if (!canLockJoined && others.length > 0) await connection.run(lockByUpdate(others));
  const locking = canLockJoined ? 'FOR UPDATE OF notes' : '';
  const owners = await ownersAmong(connection, notes);
  const { outcomes: byId, kept } = judged(notes, await presentAmong(connection, others, locking));
  const { outcomes, indexes } = settleOrigins(notes, byId, owners);
  const versions = await versionsAmong(connection, notes, outcomes, maxVersions);
  const changed = [...kept.values()].filter((note) => !isNew.has(note.id) || note !== firsts.get(note.id));
  if (versions.stored.length > 0) await connection.run(keepStored(versions.stored));
  if (changed.length > 0) await connection.run(`${insert(changed)} ${replacing}`);
  const merged = indexed(notes).filter(({ index }) => versions.indexes.has(index));
  if (merged.length > 0) await connection.run(insertVersions(recordsOf(merged)));
  const older = [...versions.stored, ...merged.flatMap(({ note }) => note.id ?? [])];
  if (older.length > 0) await connection.run(trimVersions(older, maxVersions));
  const created = indexed(notes).filter(({ note, index }) => !hasId(note) && outcomes[index] === 'added');
  const origins = originsById(notes, indexes, await insertNew(connection, created));
  if (origins.size > 0) await connection.run(putOrigins(origins));
  await connection.run('COMMIT');
  return withVersions(outcomes, versions);
}

/** Changes `newer` to `version` for notes that are kept as versions. */
const withVersions = (outcomes: readonly MergeOutcome[], { indexes }: KeptVersions): readonly MergeOutcome[] =>
  outcomes.map((outcome, index) => (outcome === 'newer' && indexes.has(index) ? 'version' : outcome));

async function versionsAmong(
  connection: Connection,
  notes: readonly PortableNote[],
  outcomes: readonly MergeOutcome[],
  max: number,
): Promise<KeptVersions> {
  const all = notes.flatMap((note, index): NoteWithOutcome[] =>
    hasId(note) ? [{ note, index, outcome: outcomes[index] ?? 'same' }] : [],
  );
  const ids = new Set(
    all.flatMap(({ note, outcome }) => (outcome === 'replaced' || outcome === 'newer' ? [note.id] : [])),
  );
  if (max === 0 || ids.size === 0) return { stored: [], indexes: new Set() };
  const histories = new Map([...ids].map((id): [number, History] => [id, { versions: [] }]));
  for (const { id, is_version, updated_at, hash } of await connection.run<StateRow>(selectStates([...ids]))) {
    const history = histories.get(Number(id));
    const state = { updatedAt: timestamp(Number(updated_at)), hash };
    if (history && is_version) history.versions = [...history.versions, state];
    else if (history) history.current = state;
  }
  return versionsToKeep(all, histories, max);
}

/** Computes the outcomes as if the notes were merged one by one, and the notes to store, by id. */
function judged(notes: readonly PortableNote[], stored: ReadonlyMap<number, StoredNote>) {
  const kept = new Map<number, PortableNote & Note>();
  const outcomes = notes.map((note, index): MergeOutcome => {
    if (!hasId(note)) return 'added';
    const earlier = kept.get(note.id);
    const outcome = decideMerge(note, earlier ? asStored(note, earlier) : stored.get(index));
    if (isStored(outcome)) kept.set(note.id, note);
    return outcome;
  });
  return { outcomes, kept };
}

/** Returns the rows with the ids of the notes, by index. Compares in the database, as texts may be long. */
async function presentAmong(
  connection: Connection,
  among: readonly Indexed[],
  locking: string,
): Promise<ReadonlyMap<number, StoredNote>> {
  if (among.length === 0) return new Map();
  const rows = await connection.run<{ ordinal: number; created_at: string; updated_at: string; is_same: boolean }>(
    `SELECT note.ordinal, notes.created_at, notes.updated_at, (${same}) AS is_same
     FROM ${recordsOf(among)} JOIN notes ON notes.id = note.id ORDER BY notes.id ${locking}`,
  );
  return new Map(
    rows.map(({ ordinal, created_at: createdAt, updated_at: updatedAt, is_same: isSame }) => [
      ordinal,
      { createdAt: timestamp(Number(createdAt)), updatedAt: timestamp(Number(updatedAt)), isSame },
    ]),
  );
}

/** Locks rows by an update without changes, since Citus cannot lock joined rows. */
const lockByUpdate = (among: readonly Indexed[]) =>
  `UPDATE notes SET archived = archived WHERE id IN (${among.map(({ note }) => note.id)})`;

const contents = ['title', 'content', 'category', '"group"', 'color', 'archived', 'created_at', 'updated_at'];

const same = contents.map((column) => `notes.${column} = note.${column}`).join(' AND ');

/** Sorted by id, like other writes, to avoid deadlocks. */
const insert = (notes: readonly PortableNote[]) =>
  `INSERT INTO notes (${columns}) SELECT ${columns} FROM ${recordsOf(indexed(notes))} ORDER BY id`;

/** Inserts notes without id, in order, and returns their new ids by index. */
async function insertNew(connection: Connection, notes: readonly Indexed[]): Promise<ReadonlyMap<number, number>> {
  if (notes.length === 0) return new Map();
  const rows = await connection.run<{ id: string }>(
    `INSERT INTO notes (${contents}) SELECT ${contents} FROM ${recordsOf(notes)} ORDER BY ordinal RETURNING id`,
  );
  const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
  return new Map(notes.map(({ index }, at) => [index, ids[at] ?? 0]));
}

const recordsOf = (notes: readonly Indexed[]): string =>
  recordsOfNotes(notes.map(({ index, note: { origin: _, ...note } }) => ({ ordinal: index, ...note })));

/** Serialises merges: two that advance the sequence at once could set it back. */
const lockMerges = `SELECT pg_advisory_xact_lock(${0x4e6f7465})`;
