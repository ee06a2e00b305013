import { invalid } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import type { Note } from '../domain/note.ts';
import type { PortableStore } from '../domain/store.ts';
import { versionAt } from '../domain/versions.ts';

/** The operations available over MCP. */
export type McpStore = Pick<
  PortableStore,
  'create' | 'get' | 'update' | 'setArchived' | 'history' | 'scan' | 'search' | 'labels'
>;

/** Runs work on the open store. */
export type UseStore = <Result>(work: (store: McpStore) => Promise<Result>) => Promise<Result>;

/** Throws `invalid` if the history has no such version. */
export async function versionOf(store: Pick<McpStore, 'history'>, id: number, version: string): Promise<Note> {
  const note = await versionAt(store, id, version);
  if (note === undefined) throw invalid(message.noSuchVersion(id));
  return note;
}
