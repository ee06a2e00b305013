import { type CopySource, closeDialog, dialog } from '../state/dialog.ts';
import { Coming, lazy } from '../ui/lazy.ts';
import { copyText } from './copy.ts';

/** Fallback if the form does not load: the unfilled placeholders are visible where the text is pasted. */
function copyUnfilled(): void {
  const open = dialog.value;
  if (open?.kind !== 'fill') return;
  closeDialog();
  void copyText(open.source, open.source.text);
}

/** Loads the form. Call it as soon as a text with placeholders is shown. */
export const loadForm = lazy(() => import('./placeholder-form.tsx'), copyUnfilled);

export function FillDialog({ source }: { source: CopySource }) {
  const part = loadForm();
  return part ? <part.PlaceholderForm source={source} /> : <Coming />;
}
