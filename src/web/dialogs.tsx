/** The dialogs that are loaded when one is opened. */
import { Places } from './filters/places.tsx';
import { closeDialog, dialog } from './state/dialog.ts';
import { lazy } from './ui/lazy.ts';
import { Modal } from './ui/modal.tsx';

const helpPart = lazy(() => import('./keyboard/help.tsx'), closeDialog);
const palettePart = lazy(() => import('./keyboard/palette.tsx'), closeDialog);
const historyPart = lazy(() => import('./history/history.tsx'), closeDialog);
const importPart = lazy(() => import('./drop/import-dialog.tsx'), closeDialog);
const changePart = lazy(() => import('./selection/change-dialog.tsx'), closeDialog);

export function LaterDialog() {
  const open = dialog.value;
  if (open?.kind === 'help') return part(helpPart(), ({ Help }) => <Help />);
  if (open?.kind === 'palette') return part(palettePart(), ({ Palette }) => <Palette />);
  if (open?.kind === 'history') return part(historyPart(), ({ History }) => <History id={open.note} />);
  if (open?.kind === 'import') return part(importPart(), ({ ImportDialog }) => <ImportDialog records={open.records} />);
  if (open?.kind === 'change') return part(changePart(), ({ ChangeDialog }) => <ChangeDialog notes={open.notes} />);
  return (
    <Modal title="Filters" closesOnBackdrop>
      <Places isAdding />
    </Modal>
  );
}

const part = <Part, Drawn>(loaded: Part | undefined, draw: (part: Part) => Drawn) => (loaded ? draw(loaded) : null);
