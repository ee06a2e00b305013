/** What the peers share: the values, the table with one index on the columns of the filter, the start. */

export const categories = ['css', 'host-town', 'prompts', 'notes', 'chat-tool', 'editor-chats', 'bash-commands'];
export const groups = ['first', 'second', 'third', 'fourth', 'fifth'];
export const colors = ['primary', 'secondary', 'accent', 'neutral', 'info', 'success', 'warning', 'error'];

export const schema = `
  CREATE TABLE notes (
    id        INTEGER PRIMARY KEY,
    title     TEXT    NOT NULL,
    content   TEXT    NOT NULL,
    category  TEXT    NOT NULL,
    "group"   TEXT    NOT NULL,
    color     TEXT    NOT NULL,
    archived  INTEGER NOT NULL DEFAULT 0,
    createdAt TEXT    NOT NULL,
    updatedAt TEXT    NOT NULL
  );
  CREATE INDEX notes_by_filter ON notes (archived, category, "group");`;

/** The statements that a database is opened with; `SYNCHRONOUS` overrides what the driver does by itself. */
export function pragmas() {
  const { SYNCHRONOUS } = process.env;
  return ['journal_mode = WAL', ...(SYNCHRONOUS ? [`synchronous = ${SYNCHRONOUS}`] : [])];
}

/** The JSON of each list by the address of its request, if the peer keeps lists ready. Every write drops all of them. */
const keptLists = process.env.KEEP_LISTS === '1' ? new Map() : undefined;
export const keepsLists = keptLists !== undefined;

export function getOrKeepListJson(address, readNotes) {
  const kept = keptLists.get(address) ?? JSON.stringify(readNotes());
  keptLists.set(address, kept);
  return kept;
}

export const dropKeptLists = () => keptLists?.clear();

/** Prints where the peer listens, what it runs on, and how SQLite commits. */
export function announce(port, synchronous) {
  const { bun, node } = process.versions;
  const runtime = bun ? `Bun ${bun}` : `Node.js ${node}`;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, runtime, synchronous }));
}
