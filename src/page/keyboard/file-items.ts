import { promptAndImportFiles } from '../drop/listen-to-files.ts';
import { findOrLoadLateViews } from '../load-late-views.ts';
import type { MenuItem } from '../ui/menu.tsx';

/** What the main menu and the palette offer for files. */
export const fileItems: readonly MenuItem[] = [
  { name: 'Import files', icon: 'import', run: promptAndImportFiles },
  { name: 'Export all', icon: 'export', run: () => void findOrLoadLateViews()?.verbs.exportAllNotes() },
];
