/** Runs before the first paint: applies the theme and starts loading the notes, cached ones if there are any. */
import { fetchFirstNotes, isListCached, openDatabaseAndReadHead } from './state/last-visit-database.ts';
import { applyTheme, readTheme } from './state/themes.ts';

applyTheme(readTheme());
if (isListCached()) {
  window.cachedList = openDatabaseAndReadHead();
  window.firstNotes = window.cachedList.then(({ head }) => head?.first ?? []);
} else if (location.search === '') {
  window.firstNotes = fetchFirstNotes(); // the whole list is requested once they are painted: it would delay them
} else {
  const list = { rel: 'preload', as: 'fetch', crossOrigin: '', href: 'api/notes' };
  document.head.append(Object.assign(document.createElement('link'), list));
}
window.firstNotes?.catch(() => {}); // handled where they are shown
