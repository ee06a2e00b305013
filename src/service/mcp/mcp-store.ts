import { createInvalidError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import type { PortableStore } from '../../core/store.ts';
import { readVersionByUpdatedAtIfAny } from '../../core/versions.ts';

/** These operations are available over MCP. */
export type McpStore = Pick<
  PortableStore,
  'create' | 'get' | 'update' | 'setArchived' | 'history' | 'scan' | 'search' | 'labels'
>;

/** Runs work on the open store. */
export type UseStore = <Result>(work: (store: McpStore) => Promise<Result>) => Promise<Result>;

/** Returns a note as it was at a version. Throws `invalid` if the history has no such version. */
export async function getNoteAtVersion(store: Pick<McpStore, 'history'>, id: number, version: string): Promise<Note> {
  const note = await readVersionByUpdatedAtIfAny(store, id, version);
  if (note === undefined) throw createInvalidError(`Note with ID ${id} has no such version in its history`);
  return note;
}
