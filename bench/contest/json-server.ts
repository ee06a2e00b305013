/** The API of json-server: it has no archiving, and starts with a file of all notes. */
import type { NoteDraft } from '../../src/core/note.ts';
import type { Call } from '../loads/scenarios.ts';

/** The call of a scenario as json-server knows it; its PUT replaces a whole note, so its PATCH is used. */
export function asJsonServer({ method, path, body }: Call): Call {
  const own = path.replace('/api/', '/');
  if (own.endsWith('/archive')) return { method, path: own.replace('/archive', ''), body: '{"archived":true}' };
  if (method === 'PUT') return { method: 'PATCH', path: own, body };
  if (method === 'POST') return { method, path: own, body: JSON.stringify({ ...JSON.parse(body), archived: false }) };
  return { method, path: own, body };
}

/** Storing 10,000 notes one by one would take minutes. */
export async function writeJsonServerFile(file: string, drafts: readonly NoteDraft[]): Promise<void> {
  const now = new Date().toISOString();
  const notes = drafts.map((draft, n) => ({ id: n + 1, ...draft, archived: false, createdAt: now, updatedAt: now }));
  await Bun.write(file, JSON.stringify({ notes }));
}
