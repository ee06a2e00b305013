import type { ComponentChildren } from 'preact';
import type { Draft } from '../state/drafts.ts';
import { discardDraft } from './recover-drafts.ts';

interface DraftNoticeProps {
  readonly draft: Draft;
  readonly resume: () => void;
  readonly children: ComponentChildren;
}

/** Offers a draft that is not saved: to continue or to discard it. */
export const DraftNotice = ({ draft, resume, children }: DraftNoticeProps) => (
  <p class="notice" role="status">
    {children}
    <button type="button" class="btn btn-sm touch" onClick={resume}>
      Continue
    </button>
    <button type="button" class="btn btn-ghost btn-sm touch" onClick={() => discardDraft(draft)}>
      Discard
    </button>
  </p>
);
