import { notifyLoadFailureOnce } from '../ui/lazy-parts.ts';
import { openPastedNote, rememberPastedLine } from '../ui/new-note.ts';

/** Imports files and folders dropped or pasted anywhere, and begins a note with a text pasted outside of a field. */
export function listenToFiles(): void {
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    import('./import-dropped-files.ts').then((part) => part.showDropHintBriefly()).catch(() => {}); // optional
  });
  const takeFiles = (event: Event, data: DataTransfer) => {
    event.preventDefault(); // before the editor of a note inserts their bytes as text
    loadAndImportFiles(listDroppedItems(data.items));
  };
  const first = { capture: true };
  window.addEventListener(
    'drop',
    (event) => hasFiles(event.dataTransfer) && takeFiles(event, event.dataTransfer),
    first,
  );
  window.addEventListener(
    'paste',
    (event) => {
      const { clipboardData } = event;
      if (hasFiles(clipboardData) && getPastedTextOrEmpty(clipboardData) === '') takeFiles(event, clipboardData);
    },
    first,
  );
  window.addEventListener('paste', (event) => {
    const text = getPastedTextOrEmpty(event.clipboardData);
    if (event.defaultPrevented || text === '') return;
    const field = findField(event.target);
    if (isSearchField(field) ? !isPasteForNewNote(field, text) : field !== null) {
      if (isSearchField(field)) rememberPastedLine(isWhollySelected(field) ? text : '');
      return;
    }
    event.preventDefault();
    openPastedNote(text);
  });
}

/** Word processors copy a picture along with the text, which is preferred. */
const getPastedTextOrEmpty = (data: DataTransfer | null): string =>
  data?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';

/** Fields take texts. But the search has one line: several begin a note, unless they are put into other words. */
const isPasteForNewNote = (search: HTMLInputElement, text: string): boolean =>
  isWhollySelected(search) && text.trim().includes('\n');

const findField = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest('input, textarea, content-editor, select, dialog') : null;

const isSearchField = (field: Element | null): field is HTMLInputElement =>
  field instanceof HTMLInputElement && field.id === 'search';

const isWhollySelected = ({ value, selectionStart, selectionEnd }: HTMLInputElement): boolean =>
  (selectionEnd ?? 0) - (selectionStart ?? 0) === value.length;

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') === true;

/** The list is emptied after the event, so that folders have to be asked for at once. */
const listDroppedItems = (items: DataTransferItemList) =>
  [...items].map((item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory ? entry : item.getAsFile();
  });

/** The bundler makes a script of its own of the parser of YAML, which is as large as all formats that need it. */
function loadAndImportFiles(dropped: readonly (File | FileSystemEntry | null)[]): void {
  import('yaml').catch(() => {}); // the formats fail as well
  void import('./import-dropped-files.ts').then(
    (part) => part.readFilesAndOpenImport(dropped.filter(part.isDroppedItem)),
    notifyLoadFailureOnce,
  );
}

export function promptAndImportFiles(): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
  input.addEventListener('change', () => input.files && loadAndImportFiles([...input.files]));
  input.click();
}
