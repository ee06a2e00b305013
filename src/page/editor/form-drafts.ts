/** The drafts of one form in this browser: its own one, and a side draft while another tab has that. */
import type { NoteDraft } from '../../core/note.ts';
import { createNewDraftKey, deleteDraft, findDraft, reserveDraft, trySaveDraft } from '../state/drafts.ts';
import { tabId } from '../state/page-storage.ts';
import { decideDraftWrite, findUpdateTime, type NoteFormEvent, type NoteFormState } from './note-form-state.ts';
import { notifyUnsavedDraft } from './unsaved-drafts.tsx';

/** A draft of a new note with the text of this form, while another tab has the draft of its note. */
type SideDraft = Readonly<{ key: string; release: () => void }>;

const createSideDraft = ({ key }: SideDraft, fields: NoteDraft) => ({ key, fields, updatedAt: undefined });

export class FormDrafts {
  #key: string;
  #releaseDraft = () => {};
  #sideDraft: SideDraft | undefined;

  constructor(key: string) {
    this.#key = key;
  }

  get key(): string {
    return this.#key;
  }

  /** From now on, the form is that of the stored note which this draft would change. */
  moveTo(key: string): void {
    if (key === this.#key) return;
    this.#releaseDraft();
    this.#key = key;
    this.reserve();
  }

  /** From now on, the draft is offered nowhere else in this tab. */
  reserve(): void {
    this.#releaseDraft = reserveDraft(this.#key);
  }

  release(): void {
    this.#releaseDraft();
    this.#sideDraft?.release();
  }

  /**
   * Writes or deletes the draft, as the state of the form wants it. Returns what that changes in the state, if
   * anything.
   */
  writeOrDeleteDraft(state: NoteFormState): NoteFormEvent | undefined {
    switch (decideDraftWrite(state)) {
      case 'none':
        return undefined;
      case 'write beside':
        this.#writeSideDraft(state.fields);
        return undefined;
      case 'delete':
        deleteDraft(this.#key);
        this.deleteSideDraft();
        return { kind: 'draft deleted' };
      case 'write': {
        const isKept = trySaveDraft(this.#createDraft(state));
        this.deleteSideDraft();
        return { kind: 'draft written', isKept };
      }
    }
  }

  #createDraft({ fields, original, phase }: NoteFormState): Parameters<typeof trySaveDraft>[0] {
    return {
      key: this.#key,
      fields,
      updatedAt: findUpdateTime(original),
      sent: findDraft(this.#key)?.sent,
      unansweredIn: phase.kind === 'unanswered' ? tabId : undefined,
    };
  }

  /** Neither text is lost, whatever tab is reloaded. */
  #writeSideDraft(fields: NoteDraft): void {
    if (!this.#sideDraft) {
      const key = createNewDraftKey();
      this.#sideDraft = { key, release: reserveDraft(key) };
    }
    trySaveDraft(createSideDraft(this.#sideDraft, fields));
  }

  /** Deletes the draft with the text of this form. That of another tab stays, which may be closed by now. */
  deleteOwnDraft({ otherTab }: NoteFormState): void {
    if (!otherTab) deleteDraft(this.#key);
    this.deleteSideDraft();
  }

  /** The draft with the text of this form, as it is offered once it was discarded. */
  createOwnDraft(state: NoteFormState): Parameters<typeof trySaveDraft>[0] {
    return this.#sideDraft ? createSideDraft(this.#sideDraft, state.fields) : this.#createDraft(state);
  }

  deleteSideDraft(): void {
    if (!this.#sideDraft) return;
    deleteDraft(this.#sideDraft.key);
    this.#sideDraft.release();
    this.#sideDraft = undefined;
  }

  /** Offers the side draft of a form that was left, if there is one. */
  notifySideDraft(): void {
    if (this.#sideDraft) notifyUnsavedDraft(this.#sideDraft.key, 'undoable');
  }
}
