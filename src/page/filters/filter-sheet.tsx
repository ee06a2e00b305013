import { closeDialog } from '../state/dialog.ts';
import { results } from '../state/results.ts';
import { noteCount } from '../ui/format.ts';
import { Modal } from '../ui/modal.tsx';
import { Places } from './places.tsx';

/** The filters, where there is no sidebar, and what they leave. */
export const FilterSheet = () => (
  <Modal title="Filters" closesOnBackdrop>
    <Places isAdding />
    <button type="button" class="btn btn-primary m-3 touch" onClick={closeDialog}>
      Show {noteCount(results.value.length)}
    </button>
  </Modal>
);
