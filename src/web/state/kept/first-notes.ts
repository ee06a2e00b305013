/** The notes at the top of the list, which are shown while the rest is on its way. */
import type { Note } from '../../../domain/note.ts';

declare global {
  interface Window {
    /** What `head.ts` asks for while the scripts come; undefined where the address asks for another list. */
    firstNotes?: Promise<readonly Note[]>;
  }
}

/** Enough for a high screen. */
export const firstCount = 60;

/** For so long, in ms, the service may look for the first notes: among 100,000 it takes longer than to send them all. */
const patienceMs = 300;

/** The first notes as the service knows them; none where it does not tell. */
export async function askForFirst(): Promise<readonly Note[]> {
  const signal = AbortSignal.timeout(patienceMs);
  const answer = await fetch(`api/search?archived=false&limit=${firstCount}`, { signal });
  return answer.ok ? answer.json() : [];
}

/** Resolves once the first notes are painted, but within 100 ms: a hidden page paints nothing. */
export function painted(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 100);
  return promise;
}
