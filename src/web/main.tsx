/** The page: found, read, copied and written within one document, whose address says what is shown. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './keys/keyboard.ts';
import { prepareInIdleTime } from './list/found.ts';
import { highlightHits } from './list/hits.tsx';
import { place } from './navigation.ts';
import { keepUp, noteById, notes } from './notes.ts';
import { offerLeftBehind } from './write/left-behind.ts';

const root = document.querySelector('#app');
if (root) {
  render(<App />, root);
  highlightHits(root);
}
listenToKeys();
keepUp();
void offerLeftBehind();

effect(() => {
  if (notes.value.length > 0) prepareInIdleTime();
});

effect(() => {
  const { note, query } = place.value;
  const open = note === undefined ? undefined : noteById(note)?.title;
  document.title = [open ?? (query === '' ? '' : `“${query}”`), 'Notes'].filter(Boolean).join(' · ');
});
