import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { statusByCode } from '../../core/protocol.ts';
import type { ToolWrite } from '../http/routes/mcp-routes.ts';
import type { McpStore } from './mcp-store.ts';

/** Returns the same store, which reports each write when it has ended. */
export function createWriteReportingStore(store: McpStore, onWrite: (write: ToolWrite) => void): McpStore {
  async function awaitWriteAndReport(
    operation: ToolWrite['operation'],
    id: number | undefined,
    writing: Promise<Note>,
  ) {
    try {
      const note = await writing;
      onWrite({ operation, id: note.id, status: 200 });
      return note;
    } catch (error) {
      onWrite({ operation, id, status: error instanceof NoteError ? statusByCode[error.code] : 500 });
      throw error;
    }
  }

  return {
    create: (draft) => awaitWriteAndReport('create', undefined, store.create(draft)),
    update: (id, patch, ifMatch) => awaitWriteAndReport('update', id, store.update(id, patch, ifMatch)),
    setArchived: (id, archived, ifMatch) =>
      awaitWriteAndReport(archived ? 'archive' : 'unarchive', id, store.setArchived(id, archived, ifMatch)),
    get: (id) => store.get(id),
    history: (id, limit) => store.history(id, limit),
    scan: (filter) => store.scan(filter),
    labels: () => store.labels(),
    ...(store.search && { search: (query, options) => store.search?.(query, options) ?? Promise.resolve(undefined) }),
  };
}
