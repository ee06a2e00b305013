/** Runs before the first paint: applies the theme and starts loading the notes, kept ones if there are any. */
import { openKept } from './state/kept/database.ts';
import { askForFirst } from './state/kept/first-notes.ts';
import { isListKept } from './state/kept/is-kept.ts';
import { chosenTheme, showTheme } from './state/themes.ts';

showTheme(chosenTheme());
if (isListKept()) {
  window.keptList = openKept();
  window.firstNotes = window.keptList.then(({ head }) => head?.first ?? []);
} else {
  if (location.search === '') window.firstNotes = askForFirst();
  const list = { rel: 'preload', as: 'fetch', crossOrigin: '', href: 'api/notes' };
  document.head.append(Object.assign(document.createElement('link'), list));
}
window.firstNotes?.catch(() => {}); // handled where they are shown
