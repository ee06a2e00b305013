import { Database } from 'bun:sqlite';
import { NoteError } from '../../../core/error.ts';
import type { Fields } from '../../../core/tools/json.ts';
import { messageOf } from '../../../core/tools/thrown.ts';
import { objectOf } from '../../record.ts';

const tables = ['snippets', 'snippet_contents'];

/** Reads snippets with their fragments as `content`, as in db.json. Throws `invalid` for other databases. */
export function snippetsInDatabase(name: string, bytes: Uint8Array): readonly Fields[] {
  try {
    using database = openBytes(bytes);
    const there = database.query("SELECT name FROM sqlite_master WHERE type = 'table'").values().flat();
    if (!tables.every((table) => there.includes(table))) throw new Error(`it has no tables ${tables.join(', ')}`);
    const fragments = Map.groupBy(
      database.query('SELECT snippetId, label, language, value FROM snippet_contents ORDER BY id').all().map(objectOf),
      (fragment) => fragment['snippetId'],
    );
    const snippets = database.query('SELECT * FROM snippets ORDER BY id').all().map(objectOf);
    return snippets.map((snippet) => ({ ...snippet, content: fragments.get(snippet['id']) ?? [] }));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new NoteError('invalid', `${name} cannot be read as a database of massCode: ${reason}`, { cause });
  }
}

/** Opens in memory, which excludes a write-ahead log: unsets it in bytes 18 and 19 (sqlite.org/fileformat.html). */
function openBytes(bytes: Uint8Array): Database {
  const own = Uint8Array.from(bytes);
  own.set([1, 1], 18);
  return Database.deserialize(own, true);
}
