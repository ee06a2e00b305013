/** The notes at the top of the list, shown while the rest loads. */
import type { Note } from '../../../core/note.ts';

declare global {
  interface Window {
    /** Requested by `head.ts` while the scripts load; undefined if the URL selects another list. */
    firstNotes?: Promise<readonly Note[]>;
  }
}

/** Fills a tall screen. */
export const firstCount = 60;

/** In ms. Then the whole list, which is loading meanwhile, is no longer delayed. */
const timeoutMs = 1_000;

/** Loads the first notes from the service; none if it answers with an error. Rejects on timeout. */
export const askForFirst = (): Promise<readonly Note[]> =>
  fetch(`api/search?archived=false&limit=${firstCount}`, { signal: AbortSignal.timeout(timeoutMs) }).then((answer) =>
    answer.ok ? answer.json() : [],
  );

/** Resolves once the first notes are painted, but within 100 ms: a hidden page paints nothing. */
export const firstNotesPainted = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });
