/** Writes to distributed notes: announced before they are sent to the shards, and logged afterwards. */
import { NoteError } from '../../core/error.ts';
import * as message from '../../core/error-messages.ts';
import type { Note } from '../../core/note.ts';
import type { MergeResult } from '../../core/store.ts';
import type { Write, WriteResult } from '../decide-write.ts';
import type { Connection } from './connection-pool.ts';
import type { Announcement, DistributedWriteLog } from './distributed-change-log.ts';
import { classifyError, toNoteErrorIfDatabaseError } from './postgres-errors.ts';
import { listChangedIds } from './postgres-note-writes.ts';
import { toRow } from './recordset.ts';

/** What was assigned to the notes of a batch when it was announced. */
export interface AnnouncedBatch {
  /** The ids of new notes. */
  readonly newIds: ReadonlyMap<Write, number>;
  /** The shards of all notes, by id. */
  readonly shards: ReadonlyMap<number, string>;
  /** The time of the notes, in ms since 1970. */
  readonly now: number;
}

function toAnnouncedBatch(writes: readonly Write[], { newIds, shards, now }: Announcement): AnnouncedBatch {
  const creates = writes.filter(({ kind }) => kind === 'create');
  return { newIds: new Map(creates.map((write, index) => [write, newIds[index] ?? 0])), shards, now };
}

/** Returns the id of the note that a write creates or changes. */
export const findNoteId = (write: Write, { newIds }: AnnouncedBatch): number =>
  (write.kind === 'create' ? newIds.get(write) : write.id) ?? 0;

/** Groups writes by shard, and by kind: new notes need no lock. A transaction on one shard is committed in one phase. */
export const groupByShard = (writes: readonly Write[], batch: AnnouncedBatch): readonly (readonly Write[])[] => [
  ...Map.groupBy(writes, (write) => `${write.kind} ${batch.shards.get(findNoteId(write, batch))}`).values(),
];

/**
 * Announces a batch, commits it, and logs what the shards have committed. What may still be written, as its outcome is
 * unknown, stays announced. Never rejects.
 */
export async function announceCommitAndLog(
  log: DistributedWriteLog,
  writes: readonly Write[],
  commit: (batch: AnnouncedBatch) => Promise<readonly WriteResult[]>,
): Promise<readonly WriteResult[]> {
  if (writes.length === 0) return [];
  try {
    const newCount = writes.filter(({ kind }) => kind === 'create').length;
    const changedIds = listChangedIds(writes);
    const announcement = await log.announce(changedIds, newCount);
    return await logResults(log, announcement, changedIds, await commit(toAnnouncedBatch(writes, announcement)));
  } catch (error) {
    const rejection = toErrorWithoutEffect(error);
    return writes.map(() => rejection);
  }
}

/**
 * Logs the written notes, and those that were read for a write that was rejected. Returns the results: those of notes
 * that could not be logged are errors.
 */
async function logResults(
  log: DistributedWriteLog,
  { id, recent }: Announcement,
  changedIds: readonly number[],
  results: readonly WriteResult[],
): Promise<readonly WriteResult[]> {
  const written = collectLastStates(results);
  const others = changedIds.filter((changedId) => !written.has(changedId));
  const isKnown = results.every((result) => !(result instanceof NoteError && result.outcome === 'unknown'));
  try {
    await log.logChanges([...written.values()], others, isKnown ? id : undefined);
    for (const note of written.values()) recent.add(toRow(note));
    return results;
  } catch (error) {
    const unlogged = new NoteError('unavailable', message.storeFailed, { outcome: 'unknown', cause: error });
    return results.map((result) => (result instanceof NoteError ? result : unlogged));
  }
}

/** Collects the last state of each written note. */
function collectLastStates(results: readonly WriteResult[]): ReadonlyMap<number, Note> {
  const states = new Map<number, Note>();
  for (const result of results) if (!(result instanceof NoteError)) states.set(result.id, result);
  return states;
}

/** Returns the error of writes that could not be announced, so that no statement was sent for them. */
function toErrorWithoutEffect(cause: unknown): NoteError {
  const shown = toNoteErrorIfDatabaseError(cause, 'write');
  if (!(shown instanceof NoteError)) return new NoteError('internal', message.storeFailed, { outcome: 'none', cause });
  return new NoteError(shown.code, shown.message, { outcome: 'none', retry: shown.retry, cause });
}

/** Announces the notes of a merge before it commits. */
export type AnnounceMerge = (ids: readonly number[]) => Promise<void>;

/** Runs a merge that announces its notes, and logs them. They stay announced if its outcome is unknown. */
export async function mergeAndLog(
  log: DistributedWriteLog,
  merge: (announce: AnnounceMerge) => Promise<readonly MergeResult[]>,
): Promise<readonly MergeResult[]> {
  const permit = await log.acquireMergePermit();
  let connection: Connection | undefined;
  let announcementId: string | undefined;
  let ids: readonly number[] = [];
  const announce: AnnounceMerge = async (written) => {
    if (written.length === 0) return;
    ids = written;
    if (connection) announcementId = await log.announceOnConnection(connection, written);
  };
  try {
    connection = await log.reserveConnection();
    const results = await merge(announce);
    await log.waitForPreparedTransactions();
    await log.logChanges([], ids, announcementId);
    return results;
  } catch (error) {
    const hadNoEffect = error instanceof NoteError ? error.outcome === 'none' : classifyError(error) !== 'uncertain';
    if (hadNoEffect && announcementId) await log.endAnnouncement(announcementId).catch(() => {}); // it is logged later
    throw error;
  } finally {
    connection?.release();
    permit.release();
  }
}
