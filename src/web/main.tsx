/** The entry of the page: draws it, listens to keys and keeps the notes in sync. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.tsx';
import { editorCommands } from './editor/commands.ts';
import { offerUnsavedDraft } from './editor/recover-drafts.ts';
import { keyboardCommands } from './keyboard/commands.ts';
import { listenToKeys } from './keyboard/keyboard.ts';
import { listCommands } from './list/commands.ts';
import { startRenderer } from './markdown/renderer.ts';
import { noteCommands } from './note/commands.ts';
import { closeDialog } from './state/dialog.ts';
import { urlState } from './state/navigation.ts';
import { loaded, noteById, notes } from './state/notes.ts';
import { notify } from './state/notifications.ts';
import { prepareWhenIdle } from './state/results.ts';
import { startSync } from './state/sync.ts';
import { displayTitle } from './ui/format.ts';
import { highlightHits } from './ui/hits.tsx';
import { followLabels } from './ui/labels.ts';

/** A file that is dropped would replace the page. True for files. */
function keepPage(event: DragEvent): boolean {
  const isFile = event.dataTransfer?.types.includes('Files') === true;
  if (isFile) event.preventDefault();
  return isFile;
}

const root = document.querySelector('#app');
if (root) {
  render(<App />, root);
  highlightHits(root);
}
listenToKeys({ ...listCommands, ...noteCommands, ...editorCommands, ...keyboardCommands });
startSync();
window.addEventListener('dragover', keepPage);
window.addEventListener('drop', (event) => {
  if (keepPage(event)) notify('Files cannot be dropped here: paste their text, or import them', { kind: 'notice' });
});
window.addEventListener('popstate', closeDialog); // the dialog belongs to the previous state

void loaded.then(() => {
  void offerUnsavedDraft();
  followLabels();
  setTimeout(startRenderer, 500);
});

effect(() => {
  if (notes.value.length > 0) prepareWhenIdle();
});

effect(() => {
  const { note, query } = urlState.value;
  const open = note === undefined ? undefined : noteById(note);
  document.title = [open ? displayTitle(open) : query === '' ? '' : `“${query}”`, 'Notes'].filter(Boolean).join(' · ');
});
