import { PlaceholderForm } from './copy/placeholder-form.tsx';
import { FilterSheet } from './filters/filter-sheet.tsx';
import { History } from './history/history.tsx';
import { Help } from './keyboard/help.tsx';
import { Palette } from './keyboard/palette.tsx';
import { ChangeDialog } from './selection/change-dialog.tsx';
import { closeDialog, dialog } from './state/dialog.ts';
import { lazy } from './ui/lazy.ts';

/** Rarely needed, and as large as all others together. */
const importPart = lazy(() => import('./drop/import-dialog.tsx'), closeDialog);

export function OpenDialog() {
  const open = dialog.value;
  switch (open?.kind) {
    case 'fill':
      return <PlaceholderForm source={open.source} />;
    case 'import': {
      const part = importPart();
      return part ? <part.ImportDialog records={open.records} /> : null;
    }
    case 'change':
      return <ChangeDialog notes={open.notes} />;
    case 'help':
      return <Help />;
    case 'palette':
      return <Palette />;
    case 'history':
      return <History id={open.note} />;
    case 'filters':
      return <FilterSheet />;
    case undefined:
      return null;
  }
}
