import { useEffect, useRef } from 'preact/hooks';
import { createPastedDraft } from '../editor/pasted-draft.ts';
import { VisibleText } from '../markdown/rendered-content.tsx';
import { closeDialog, type Share } from '../state/dialog.ts';
import { deleteShare, deleteShareAndNotifyNext, isShareWaiting, notifyWaitingShare } from '../state/shares.ts';
import { Button } from '../ui/buttons.tsx';
import { truncateToUnits } from '../ui/format-for-page.ts';
import { Modal, ScrollArea } from '../ui/modal.tsx';
import { openNewNoteWithUserText } from '../ui/new-note.ts';
import { readFilesAndOpenImport } from './import-dropped-files.ts';

/** The longest title and text that are shown, in characters, and the number of files. */
const maxShownLengths = { title: 200, content: 2_000, files: 20 };

/**
 * Shows a share as plain text, before anything is made of it. Neither button has the focus: a key that is pressed while
 * a foreign page opens this dialog decides nothing. Esc leaves the share waiting.
 */
export function ShareDialog({ share }: { share: Share }) {
  const { title, content, files } = share;
  const isDecided = useRef(false);
  useEffect(
    () => () => {
      if (!isDecided.current) void notifyWaitingShare();
    },
    [],
  );
  const decide = (run: (share: Share) => Promise<void>) => () => {
    isDecided.current = true;
    void run(share);
  };
  return (
    <Modal title="Keep what was shared?">
      <p class="px-5 pt-4 text-sm">
        {share.senderHost === undefined ? 'Another app or page' : `A page of ${share.senderHost}`} wants to add{' '}
        {formatShareKind(share)}.
      </p>
      <ScrollArea
        class="mx-5 my-4 min-h-0 overflow-y-auto rounded-field bg-base-200 p-4"
        label="What was shared"
        autofocus
      >
        {title !== '' && (
          <h3 class="font-semibold break-words" dir="auto">
            <VisibleText text={truncateWithEllipsis(title, maxShownLengths.title)} />
          </h3>
        )}
        {content !== '' && (
          <p class="text-sm break-words whitespace-pre-wrap" dir="auto">
            <VisibleText text={truncateWithEllipsis(content, maxShownLengths.content)} />
          </p>
        )}
        {files.length > 0 && (
          <ul class="text-sm">
            {files.slice(0, maxShownLengths.files).map((file) => (
              <li key={file} class="break-words" dir="auto">
                <VisibleText text={truncateWithEllipsis(file.name, maxShownLengths.title)} />
              </li>
            ))}
            {files.length > maxShownLengths.files && <li>… and {files.length - maxShownLengths.files} more</li>}
          </ul>
        )}
      </ScrollArea>
      <div class="form-foot">
        <Button class="btn-primary" onClick={decide(openAndDeleteShare)}>
          Keep
        </Button>
        <Button class="btn-ghost" onClick={decide(deleteShareAndNotifyNext)}>
          Discard
        </Button>
        <p class="muted flex-[1_1_12rem] text-end text-sm">Closing this leaves it for later</p>
      </div>
    </Modal>
  );
}

function formatShareKind({ title, content, files }: Share): string {
  const fileCount = files.length === 1 ? 'this file' : `these ${files.length} files`;
  if (title === '' && content === '') return fileCount;
  return files.length === 0 ? 'this note' : `this note and ${fileCount}`;
}

function truncateWithEllipsis(text: string, length: number): string {
  return text.length > length ? `${truncateToUnits(text, length)}…` : text;
}

/** Opens the text in the form of a new note, as a draft of its own, and imports the files. */
async function openAndDeleteShare(share: Share): Promise<void> {
  const { title, content, files } = share;
  closeDialog();
  if (!(await isShareWaiting(share))) return;
  if (content !== '' || title !== '') {
    const draft = createPastedDraft(content || title);
    openNewNoteWithUserText({ ...draft, title: title || draft.title });
  }
  if (files.length > 0) await readFilesAndOpenImport(files);
  await deleteShare(share);
  await notifyWaitingShare();
}
