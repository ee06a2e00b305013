/** The parts of the editor loaded after the first paint, as one script. */
export { UnsavedDraft } from './draft-notice.tsx';
export { Editor } from './editor.tsx';
export { NewNote } from './new-note.tsx';
export { offerUnsavedDraft } from './recover-drafts.ts';
