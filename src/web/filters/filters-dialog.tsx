import { Modal } from '../ui/modal.tsx';
import { Places } from './places.tsx';

/** The sidebar as a dialog, for narrow windows. */
export const FiltersDialog = () => (
  <Modal title="Filters" closesOnBackdrop>
    <Places isAdding />
  </Modal>
);
