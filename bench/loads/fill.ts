/** Fills a server through its interface, and checks that it holds what the scenarios expect. */
import * as z from 'zod/mini';
import type { NoteDraft } from '../../src/core/note.ts';
import { smallListLength, smallListPath } from '../notes/corpus.ts';
import { send } from './answers.ts';

const atOnce = 64;

/** Stores the drafts in an empty server. Throws unless they have the ids from 1 and the lists their lengths. */
export async function fill(url: string, drafts: readonly NoteDraft[]): Promise<void> {
  for (let from = 0; from < drafts.length; from += atOnce) {
    const bodies = drafts.slice(from, from + atOnce).map((draft) => JSON.stringify(draft));
    await Promise.all(bodies.map((body) => send(url, { method: 'POST', path: '/api/notes', body }, [200, 201])));
  }
  const ids = await idsAt(url, '/api/notes');
  if (ids.length !== drafts.length || ids.some((id, index) => id !== index + 1)) {
    throw new Error(`It holds ${ids.length} notes, ${ids[0]} to ${ids.at(-1)}, instead of ${drafts.length}`);
  }
  const small = await idsAt(url, smallListPath);
  if (small.length !== smallListLength) throw new Error(`${smallListPath} has ${small.length} notes`);
}

const Ids = z.array(z.object({ id: z.int() }));

/** The ids of the notes in a list. */
export async function idsAt(url: string, path: string): Promise<number[]> {
  const response = await send(url, { method: 'GET', path, body: '' });
  return Ids.parse(await response.json()).map(({ id }) => id);
}
