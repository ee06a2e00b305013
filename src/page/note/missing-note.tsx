/** What the pane shows of a note that the list does not have: another program may have created it just now. */
import type { ComponentChildren } from 'preact';
import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { fetchAndUpsertNote, handleFailureAndFormat } from '../state/note-requests.ts';
import { isOffline, listLoadState } from '../state/notes.ts';
import { useLoaded } from '../state/signal-helpers.ts';

type MissingNoteReason = Readonly<{ title: string; text: string }>;

/** Asks the service for the note, which then joins the list. Returns what to say if there is none. */
async function tryFetchMissingNote(id: Note['id']): Promise<MissingNoteReason | undefined> {
  try {
    await fetchAndUpsertNote(id);
    return undefined;
  } catch (error) {
    const text = handleFailureAndFormat(error);
    if (error instanceof NoteError && error.code === 'not_found') return { title: 'Not found', text };
    if (isOffline.value) return { title: 'Not loaded', text: `The note with ID ${id} is not in this browser.` };
    return { title: 'Not loaded', text };
  }
}

/** A skeleton until the service has answered; then the note, which replaces this, or why there is none. */
export function MissingNote({ id, children }: { id: Note['id']; children: ComponentChildren }) {
  const isListLoaded = listLoadState.value.kind === 'ready';
  const lookup = useLoaded(
    () => (isListLoaded ? tryFetchMissingNote(id) : Promise.resolve(undefined)),
    [id, isListLoaded, isOffline.value],
  ).value;
  return (
    <>
      <div class="note-head">
        {lookup ? (
          <h2 class="note-title" id="note-title">
            {lookup.title}
          </h2>
        ) : (
          <div class="note-title" />
        )}
        {children}
      </div>
      <div class="detail-body" role="status" aria-label={lookup ? undefined : 'Loading the note'} tabIndex={-1}>
        {lookup ? <p>{lookup.text}</p> : <div class="note-skeleton" />}
      </div>
    </>
  );
}
