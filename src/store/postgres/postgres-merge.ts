import { NoteError } from '../../core/error.ts';
import * as message from '../../core/message.ts';
import type { Note, Origin, PortableNote } from '../../core/note.ts';
import type { MergeOutcome } from '../../core/store.ts';
import { decideMerge, hasId, isWritten, type StoredNote, storedAs } from '../decide-merge.ts';
import { columns, replacing, timestamp } from '../row.ts';
import { type Connection, rollBack } from './connections.ts';
import { DatabaseError } from './failure.ts';
import { isDistributed, type Placement } from './placement.ts';
import { ownersAmong, putOrigins } from './postgres-origins.ts';
import { continueAfter } from './postgres-reads.ts';
import { awaitCommit } from './postgres-transactions.ts';
import { insertVersions, keepStored, selectTimes, trimVersions } from './postgres-versions.ts';
import { recordsOf as recordsOfNotes } from './row.ts';

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
    const isNew = rules.dryRun ? new Set<number>() : await insertFirst(connection, notes, rules);
    const decided = decideAll(notes, await readStored(connection, notes, isNew, rules), rules.maxVersions);
    if (!rules.dryRun) await write(connection, decided, rules.maxVersions);
    connection.release();
    return decided.outcomes;
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

/**
 * Begins the transaction and inserts notes with unused ids: one that is created meanwhile is waited for and found. Returns
 * the inserted ids.
 */
async function insertFirst(connection: Connection, notes: readonly PortableNote[], { lastId, placement }: MergeRules) {
  const hasAdvisoryLocks = placement.isPlain || placement.citus !== undefined;
  const firsts = new Map(notes.toReversed().flatMap((note) => (hasId(note) ? [[note.id, note]] : [])));
  const highest = Math.max(lastId, ...firsts.keys());
  const statements = [
    `BEGIN; SELECT ${awaitCommit}`,
    ...(hasAdvisoryLocks ? [lockMerges] : []),
    ...(highest > 0 ? [continueAfter(highest)] : []),
    `${insert([...firsts.values()])} ON CONFLICT (id) DO NOTHING RETURNING id`,
  ];
  const inserted = await connection.run<{ id: string }>(statements.join('; '));
  return new Set(inserted.map(({ id }) => Number(id)));
}

/** Locks and reads what the decisions need. Texts may be long, so the database compares them. */
async function readStored(
  connection: Connection,
  notes: readonly PortableNote[],
  isNew: ReadonlySet<number>,
  { dryRun, placement }: MergeRules,
) {
  const others = indexed(notes).filter(({ note }) => hasId(note) && !isNew.has(note.id));
  const locksJoined = !dryRun && !isDistributed(placement);
  if (!dryRun && !locksJoined && others.length > 0) await connection.run(lockByUpdate(others));
  const owners = await ownersAmong(connection, notes);
  const rows = others.length === 0 ? [] : await connection.run<ComparedRow>(compare(others, locksJoined));
  const stored = new Map(rows.map((row) => [row.ordinal, row]));
  const newest = new Map<number, string>();
  const older = new Set<number>();
  for (const [index, { id, updatedAt }] of notes.entries()) {
    if (id === undefined) continue;
    const row = stored.get(index);
    const known = newest.get(id) ?? (row && timestamp(Number(row.updated_at))) ?? updatedAt;
    if (updatedAt < known) older.add(id);
    newest.set(id, updatedAt > known ? updatedAt : known);
  }
  const kept = older.size === 0 ? [] : await connection.run<{ id: string; times: string }>(selectTimes([...older]));
  const times = kept.map(
    ({ id, times }) => [Number(id), times.split(' ').map((time) => timestamp(Number(time)))] as const,
  );
  return { owners, stored, times: new Map<number, readonly string[]>(times) };
}

type Stored = Awaited<ReturnType<typeof readStored>>;

/** Decides about one note after the other, and collects what is to be written. */
function decideAll(notes: readonly PortableNote[], { owners, stored, times }: Stored, maxVersions: number) {
  const current = new Map<number, PortableNote & Note>();
  const versions = new Map(times);
  const outcomes: MergeOutcome[] = Array(notes.length);
  const created: (Indexed & { readonly origin: Origin | undefined })[] = [];
  const origins = new Map<number, Origin>();
  const keptIds = new Set<number>();
  const given: (PortableNote & Note)[] = [];

  function decideOne(note: PortableNote, index: number): void {
    const known = (note.id !== undefined && versions.get(note.id)) || [];
    const earlier = note.id === undefined ? undefined : current.get(note.id);
    const before = earlier ? storedAs(note, earlier, () => known) : storedIn(stored.get(index), known);
    const { outcome, version, origin } = decideMerge(note, before, { owners, maxVersions });
    outcomes[index] = outcome;
    if (!hasId(note)) {
      if (outcome === 'added') created.push({ index, note, origin });
      return;
    }
    if (version === 'given') given.push(note);
    else if (version === 'stored' && earlier) given.push(earlier);
    else if (version === 'stored') keptIds.add(note.id);
    const time = version === 'given' ? note.updatedAt : version && before?.updatedAt;
    if (time) versions.set(note.id, [...known, time].sort().reverse().slice(0, maxVersions));
    if (isWritten({ outcome })) current.set(note.id, note);
    if (origin) origins.set(note.id, origin);
  }

  for (const { note, index } of indexed(notes)) if (hasId(note)) decideOne(note, index);
  for (const { note, index } of indexed(notes)) if (!hasId(note)) decideOne(note, index);
  return { outcomes, written: [...current.values()], created, origins, keptIds: [...keptIds], given };
}

async function write(connection: Connection, decided: ReturnType<typeof decideAll>, maxVersions: number) {
  const { written, created, keptIds, given, origins } = decided;
  if (keptIds.length > 0) await connection.run(keepStored(keptIds));
  if (written.length > 0) await connection.run(`${insert(written)} ${replacing}`);
  if (given.length > 0) await connection.run(insertVersions(recordsOf(indexed(given))));
  const withMore = [...new Set([...keptIds, ...given.map(({ id }) => id)])];
  if (withMore.length > 0) await connection.run(trimVersions(withMore, maxVersions));
  const ids = created.length > 0 ? await insertNew(connection, created) : [];
  for (const [at, { origin }] of created.entries()) if (origin) origins.set(ids[at] ?? 0, origin);
  if (origins.size > 0) await connection.run(putOrigins(origins));
  await connection.run('COMMIT');
}

interface ComparedRow {
  readonly ordinal: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly archived: boolean;
  readonly is_same: boolean;
}

const storedIn = (row: ComparedRow | undefined, versions: readonly string[]): StoredNote | undefined =>
  row && {
    createdAt: timestamp(Number(row.created_at)),
    updatedAt: timestamp(Number(row.updated_at)),
    hasSameFields: row.is_same,
    archived: row.archived,
    versions: () => versions,
  };

const texts = ['title', 'content', 'category', '"group"', 'color'];
const contents = [...texts, 'archived', 'created_at', 'updated_at'];
const same = texts.map((column) => `notes.${column} = note.${column}`).join(' AND ');

/** Sorted by id, like other writes, to avoid deadlocks. */
const compare = (among: readonly Indexed[], locks: boolean) =>
  `SELECT note.ordinal, notes.created_at, notes.updated_at, notes.archived, (${same}) AS is_same
   FROM ${recordsOf(among)} JOIN notes ON notes.id = note.id ORDER BY notes.id ${locks ? 'FOR UPDATE OF notes' : ''}`;

/** Locks rows by an update without changes, since Citus cannot lock joined rows. */
const lockByUpdate = (among: readonly Indexed[]) =>
  `UPDATE notes SET archived = archived WHERE id IN (${among.map(({ note }) => note.id)})`;

const insert = (notes: readonly PortableNote[]) =>
  `INSERT INTO notes (${columns}) SELECT ${columns} FROM ${recordsOf(indexed(notes))} ORDER BY id`;

/** Inserts notes without id, in order, and returns their new ids. */
async function insertNew(connection: Connection, notes: readonly Indexed[]): Promise<readonly number[]> {
  const rows = await connection.run<{ id: string }>(
    `INSERT INTO notes (${contents}) SELECT ${contents} FROM ${recordsOf(notes)} ORDER BY ordinal RETURNING id`,
  );
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

const indexed = (notes: readonly PortableNote[]): readonly Indexed[] => notes.map((note, index) => ({ index, note }));

const recordsOf = (notes: readonly Indexed[]): string =>
  recordsOfNotes(notes.map(({ index, note: { origin: _, ...note } }) => ({ ordinal: index, ...note })));

/** Serialises merges: two that advance the sequence at once could set it back. */
const lockMerges = `SELECT pg_advisory_xact_lock(${0x4e6f7465})`;
