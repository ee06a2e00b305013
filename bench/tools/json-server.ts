/** json-server, which makes an HTTP interface from a file of JSON: the same requests in its own. */
import type { NoteDraft } from '../../src/core/note.ts';
import type { LoadRequest } from './programs.ts';

/** Its PUT replaces a whole note, and it does not know archiving, so that both are a PATCH. */
export function toJsonServerRequest({ method, path, body }: LoadRequest): LoadRequest {
  const own = path.replace('/api/', '/').replace('/archive', '');
  if (method === 'GET') return { method, path: own, body };
  if (method === 'POST') return { method, path: own, body: JSON.stringify({ ...JSON.parse(body), archived: false }) };
  const change = method === 'PUT' ? { title: JSON.parse(body).title } : { archived: true };
  return { method: 'PATCH', path: own, body: JSON.stringify(change) };
}

/** Writes the file that it starts with. To store the notes one by one would take minutes. */
export async function writeJsonServerFile(path: string, drafts: readonly NoteDraft[]): Promise<void> {
  const now = new Date().toISOString();
  const notes = drafts.map((draft, n) => ({ id: n + 1, ...draft, archived: false, createdAt: now, updatedAt: now }));
  await Bun.write(path, JSON.stringify({ notes }));
}
