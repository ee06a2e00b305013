/** Runs before the first paint: applies the theme and starts loading the notes, cached ones if there are any. */
import { askForFirst, isListCached, openCachedList } from './state/cached-list.ts';
import { chosenTheme, showTheme } from './state/themes.ts';

showTheme(chosenTheme());
if (isListCached()) {
  window.cachedList = openCachedList();
  window.firstNotes = window.cachedList.then(({ head }) => head?.first ?? []);
} else {
  if (location.search === '') window.firstNotes = askForFirst();
  const list = { rel: 'preload', as: 'fetch', crossOrigin: '', href: 'api/notes' };
  document.head.append(Object.assign(document.createElement('link'), list));
}
window.firstNotes?.catch(() => {}); // handled where they are shown
