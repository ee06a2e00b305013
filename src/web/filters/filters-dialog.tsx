import { Modal } from '../ui/modal.tsx';
import { Places } from './places.tsx';

/** The places where there is no room for them beside the list. */
export const FiltersDialog = () => (
  <Modal title="Filters" closesOnBackdrop>
    <Places isAdding />
  </Modal>
);
