/** The first draw of the page, and what follows it: what asks the service for the notes is loaded after it. */
import { signal } from '@preact/signals';
import { showFirstNotesWhileLoading } from './notes.ts';

/** The first notes, if `head.ts` has requested some, are in the list; resolves without them if that failed. */
export const firstNotesShownPromise = window.firstNotes?.then(showFirstNotesWhileLoading, () => {});

/** When to draw the page: with the first notes, in one layout, but within 50 ms. */
export const firstDrawPromise = Promise.race([
  firstNotesShownPromise,
  new Promise((resolve) => setTimeout(resolve, 50)),
]);

/** The first frame has the notes, and what is beside them comes in the next one. */
export const isFirstDrawPainted = signal(false);

/** What keeps the notes in sync. Rejects if it could not be loaded: only a reload of the page tries again. */
export const syncModulePromise = firstDrawPromise.then(() => import('./sync-notes.ts'));

export const refreshListOrReloadPage = () => callSyncModuleOrReload((part) => part.refresh());

/** Forgets the failure of the first load, and loads the list again. */
export const reloadListOrPage = () => callSyncModuleOrReload((part) => part.retry());

const callSyncModuleOrReload = (use: (part: typeof import('./sync-notes.ts')) => unknown) =>
  void syncModulePromise.then(use, () => location.reload());
