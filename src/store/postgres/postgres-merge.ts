import { NoteError } from '../../core/error.ts';
import type { Note, Origin, PortableNote } from '../../core/note.ts';
import type { MergeResult } from '../../core/store.ts';
import { createMergeResult, decideMerge, hasId, isWritten, type Owners, storedAs } from '../decide-merge.ts';
import * as storeMessage from '../message.ts';
import { columns, noteOf, replacing } from '../row.ts';
import { type Connection, rollBack } from './connections.ts';
import { DatabaseError } from './failure.ts';
import { isSpread, type Placement } from './placement.ts';
import { continueAfter } from './postgres-reads.ts';
import { awaitCommit } from './postgres-transactions.ts';
import { insertVersions, keepStored, timesOf, trimVersions } from './postgres-versions.ts';
import { lockNotes, selectNotes } from './postgres-writes.ts';
import { jsonLiteral, type NoteRow, recordsOf } from './row.ts';

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
    const newIds = rules.dryRun ? [] : await write(connection, decided, rules.maxVersions);
    connection.release();
    for (const [at, { index }] of decided.created.entries())
      decided.results[index] = { outcome: 'added', ...(newIds[at] !== undefined && { id: newIds[at] }) };
    return decided.results;
  } catch (error) {
    await rollBack(connection);
    if (!(error instanceof DatabaseError && error.sqlState === '42501')) throw error;
    const [table = 'its tables'] = ownNames.exec(error.message) ?? [];
    throw new NoteError('unavailable', storeMessage.rightMissing(table), { outcome: 'none', cause: error });
  }
}

/** Matches our tables and sequences in an error message, in any language. */
const ownNames = /\bnotes?_\w+|\bnotes\b/;

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

/** Locks and reads what the decisions need. */
async function readStored(
  connection: Connection,
  notes: readonly PortableNote[],
  isNew: ReadonlySet<number>,
  { dryRun, placement }: MergeRules,
) {
  const ids = [...new Set(notes.flatMap(({ id }) => (id === undefined || isNew.has(id) ? [] : id)))];
  const owners = await ownersAmong(connection, notes);
  if (ids.length === 0) return { owners, stored: new Map<number, Note>(), times: new Map<number, readonly string[]>() };
  // Citus cannot lock rows of several shards; an update without changes does
  const isLockedByUpdate = !dryRun && isSpread(placement);
  if (isLockedByUpdate) await connection.run(`UPDATE notes SET archived = archived WHERE id IN (${ids})`);
  const rows = await connection.run<NoteRow>(dryRun || isLockedByUpdate ? selectNotes(ids) : lockNotes(ids));
  const stored = new Map(rows.map((row) => [Number(row.id), noteOf(row)]));
  const times = await timesOf(
    connection,
    notes.flatMap(({ id = 0, updatedAt }) => (updatedAt < (stored.get(id)?.updatedAt ?? '') ? id : [])),
  );
  return { owners, stored, times };
}

type Stored = Awaited<ReturnType<typeof readStored>>;

/** Decides about one note after the other, and collects what is to be written. */
function decideAll(notes: readonly PortableNote[], { owners, stored, times }: Stored, maxVersions: number) {
  const current = new Map<number, Note>();
  const results: MergeResult[] = Array(notes.length);
  const created: Created[] = [];
  const origins = new Map<number, Origin>();
  const keptIds = new Set<number>();
  const given: Note[] = [];

  function decideOne(note: PortableNote & Note): MergeResult {
    const { id } = note;
    const before = current.get(id) ?? stored.get(id);
    const known = times.get(id) ?? [];
    const decision = decideMerge(note, before && storedAs(note, before, () => known), { owners, maxVersions });
    const { version, origin } = decision;
    if (version === 'stored' && !current.has(id)) keptIds.add(id);
    else if (version && before) given.push(version === 'given' ? note : before);
    const time = version === 'given' ? note.updatedAt : version && before?.updatedAt;
    if (time) times.set(id, [...known, time].sort().reverse().slice(0, maxVersions));
    if (isWritten(decision)) current.set(id, note);
    if (origin) origins.set(id, origin);
    return createMergeResult(note, decision, owners);
  }

  for (const [index, note] of notes.entries()) if (hasId(note)) results[index] = decideOne(note);
  for (const [index, note] of notes.entries()) {
    if (hasId(note)) continue;
    const decision = decideMerge(note, undefined, { owners, maxVersions });
    results[index] = createMergeResult(note, decision, owners);
    if (decision.outcome === 'added') created.push({ note, index, origin: decision.origin });
  }
  return { results, written: [...current.values()], created, origins, keptIds: [...keptIds], given };
}

/** A note without an id, its place in the merge, and its origin to store. */
interface Created {
  readonly note: PortableNote;
  readonly index: number;
  readonly origin: Origin | undefined;
}

/** Writes what was decided, commits, and returns the ids of the created notes. */
async function write(
  connection: Connection,
  decided: ReturnType<typeof decideAll>,
  maxVersions: number,
): Promise<readonly number[]> {
  const { written, created, keptIds, given, origins } = decided;
  if (keptIds.length > 0) await connection.run(keepStored(keptIds));
  if (written.length > 0) await connection.run(`${insert(written)} ${replacing}`);
  if (given.length > 0) await connection.run(insertVersions(recordsOf(given)));
  const withMore = [...new Set([...keptIds, ...given.map(({ id }) => id)])];
  if (withMore.length > 0) await connection.run(trimVersions(withMore, maxVersions));
  const ids = created.length > 0 ? await insertNew(connection, created) : [];
  for (const [at, { origin }] of created.entries()) if (origin) origins.set(ids[at] ?? 0, origin);
  if (origins.size > 0) await connection.run(putOrigins(origins));
  await connection.run('COMMIT');
  return ids;
}

const insert = (notes: readonly PortableNote[]) =>
  `INSERT INTO notes (${columns}) SELECT ${columns} FROM ${recordsOf(notes)} ORDER BY id`;

/** Inserts notes without id, in order, and returns their new ids. */
async function insertNew(connection: Connection, created: readonly Created[]): Promise<readonly number[]> {
  const contents = columns.replace('id, ', '');
  const records = recordsOf(created.map(({ note }, ordinal) => ({ ...note, ordinal })));
  const rows = await connection.run<{ id: string }>(
    `INSERT INTO notes (${contents}) SELECT ${contents} FROM ${records} ORDER BY ordinal RETURNING id`,
  );
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
}

/** Serialises merges: two that advance the sequence at once could set it back. */
const lockMerges = `SELECT pg_advisory_xact_lock(${0x4e6f7465})`;

const literal = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** The ids of stored notes that have the origins of these notes, by the keys of the origins. */
async function ownersAmong(connection: Connection, notes: readonly PortableNote[]): Promise<Owners> {
  const keys = new Set(notes.flatMap(({ origin }) => (origin === undefined ? [] : [literal(origin.key)])));
  if (keys.size === 0) return new Map();
  const rows = await connection.run<{ id: string; key: string }>(
    `SELECT notes.id, key FROM note_origins JOIN notes ON notes.id = note_id WHERE key IN (${[...keys]})`,
  );
  return new Map(rows.map(({ id, key }) => [key, Number(id)]));
}

function putOrigins(origins: ReadonlyMap<number, Origin>): string {
  const rows = Array.from(origins, ([note_id, { key, taken }]) => ({ note_id, key, taken }));
  return `INSERT INTO note_origins (note_id, key, taken)
    SELECT note_id, key, taken FROM json_to_recordset(${jsonLiteral(JSON.stringify(rows))})
      AS origin(note_id bigint, key text, taken text) ORDER BY note_id
    ON CONFLICT (note_id) DO UPDATE SET key = excluded.key, taken = excluded.taken`;
}
