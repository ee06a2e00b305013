import { type CopySource, closeDialog, dialog } from '../state/dialog.ts';
import { Coming, lazy } from '../ui/lazy.ts';
import { copyText } from './copy.ts';

/** Without the form, the text is copied as it is: that its names are not filled is seen where it is pasted. */
function copyUnfilled(): void {
  const open = dialog.value;
  if (open?.kind !== 'fill') return;
  closeDialog();
  void copyText(open.source, open.source.text);
}

/** Loads the form before it is needed: from when on a text is shown that it will be needed for. */
export const loadForm = lazy(() => import('./placeholder-form.tsx'), copyUnfilled);

/** Asks for the values of a text. */
export function FillDialog({ source }: { source: CopySource }) {
  const part = loadForm();
  return part ? <part.PlaceholderForm source={source} /> : <Coming />;
}
