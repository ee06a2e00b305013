/** Runs before the first paint: a chosen theme does not flash, and a list that this browser has not kept is on its way. */
import { isListKept } from './state/kept/is-kept.ts';
import { chosenTheme, showTheme } from './state/themes.ts';

showTheme(chosenTheme());
if (!isListKept()) {
  const list = { rel: 'preload', as: 'fetch', crossOrigin: '', href: 'api/notes' };
  document.head.append(Object.assign(document.createElement('link'), list));
}
