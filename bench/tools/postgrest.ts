/** PostgREST, which makes an HTTP interface from a table: the same requests in its own. */
import { SQL } from 'bun';
import { findFreePort } from '../../test/support/postgres/server.ts';
import { type LoadRequest, type Program, startChild, waitUntilListening } from './programs.ts';

const table = `
  CREATE TABLE notes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title       text NOT NULL,
    content     text NOT NULL,
    category    text NOT NULL,
    "group"     text NOT NULL,
    color       text NOT NULL,
    archived    boolean NOT NULL DEFAULT false,
    "createdAt" timestamptz NOT NULL DEFAULT now(),
    "updatedAt" timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX notes_by_filter ON notes (archived, category, "group", id);`;

/** Starts it on an empty database. Undefined where it is not installed. */
export async function startPostgrestIfInstalled(database: string, comparedWith: string): Promise<Program | undefined> {
  const postgrest = Bun.which('postgrest');
  if (postgrest === null) return undefined;
  await using sql = new SQL(database, { max: 1 });
  await sql.unsafe(table);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PGRST_DB_URI: database,
    PGRST_DB_SCHEMAS: 'public',
    PGRST_DB_ANON_ROLE: 'postgres',
    PGRST_SERVER_HOST: '127.0.0.1',
    PGRST_SERVER_PORT: String(port),
    PGRST_LOG_LEVEL: 'crit',
  };
  const child = startChild([postgrest], { env });
  await waitUntilListening(child, `${url}/notes?limit=1`);
  return { name: 'PostgREST', urls: [url], pids: [child.pid], rewrite: toPostgrestRequest, comparedWith, isPeer: true };
}

function toPostgrestRequest({ method, path, body }: LoadRequest): LoadRequest {
  const [, query = ''] = path.split('?');
  const id = path.split('/')[3];
  const headers = { Prefer: 'return=representation', Accept: 'application/vnd.pgrst.object+json' };
  if (method === 'GET') {
    const conditions = [...new URLSearchParams(query)].map(([name, value]) => `${name}=eq.${value}`);
    return { method, path: `/notes?${[...conditions, 'order=id'].join('&')}`, body: '' };
  }
  if (method === 'POST') return { method, path: '/notes', body, headers };
  const change = method === 'PUT' ? { title: JSON.parse(body).title } : { archived: true };
  return { method: 'PATCH', path: `/notes?id=eq.${id}`, body: JSON.stringify(change), headers };
}
