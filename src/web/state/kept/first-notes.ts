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
export const askForFirst = (): Promise<readonly Note[]> =>
  fetch(`api/search?archived=false&limit=${firstCount}`, { signal: AbortSignal.timeout(patienceMs) }).then((answer) =>
    answer.ok ? answer.json() : [],
  );

/** Resolves once the first notes are painted, but within 100 ms: a hidden page paints nothing. */
export const painted = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });
