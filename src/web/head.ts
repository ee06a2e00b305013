/** Runs before the first paint: applies the theme, and starts to load the list or that of the last visit. */
import { openKept } from './state/kept/database.ts';
import { isListKept } from './state/kept/is-kept.ts';
import { chosenTheme, showTheme } from './state/themes.ts';

showTheme(chosenTheme());
if (isListKept()) {
  window.keptList = openKept();
  window.keptList.catch(() => {}); // who shows the list learns of it
} else {
  const list = { rel: 'preload', as: 'fetch', crossOrigin: '', href: 'api/notes' };
  document.head.append(Object.assign(document.createElement('link'), list));
}
