import { invalid } from '../domain/error.ts';
import * as message from '../domain/message.ts';
import type { Note } from '../domain/note.ts';
import { versionAt } from '../domain/versions.ts';
import type { McpStore } from './store.ts';

/** Throws `invalid` if the history has no such version. */
export async function versionOf(store: Pick<McpStore, 'history'>, id: number, version: string): Promise<Note> {
  const note = await versionAt(store, id, version);
  if (note === undefined) throw invalid(message.noSuchVersion(id));
  return note;
}
