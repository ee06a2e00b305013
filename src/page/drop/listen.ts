import { notifyMissing } from '../ui/lazy.ts';
import { openNew, pasted } from '../ui/new-note.ts';

/** Imports files and folders dropped or pasted anywhere, and begins a note with a text pasted outside of a field. */
export function listenToFiles(): void {
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    import('./take-files.ts').then((part) => part.showDropHint()).catch(() => {}); // optional
  });
  window.addEventListener('drop', (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    take(findDropped(event.dataTransfer.items));
  });
  // word processors copy a picture along with the text: prefer the text
  window.addEventListener('paste', (event) => {
    const { clipboardData, defaultPrevented, target } = event;
    const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
    if (defaultPrevented || (text === '' ? !hasFiles(clipboardData) : isForField(target, text))) return;
    event.preventDefault();
    if (text !== '') openNew(pasted(text));
    else if (clipboardData) take(findDropped(clipboardData.items));
  });
}

/** Fields take texts, but the lines of a longer one would be lost in the search. */
function isForField(target: EventTarget | null, text: string): boolean {
  const field = target instanceof Element ? target.closest('input, textarea, select, dialog') : null;
  const isEmptySearch = field instanceof HTMLInputElement && field.id === 'search' && field.value === '';
  return field !== null && !(isEmptySearch && text.trim().includes('\n'));
}

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') === true;

/** The list is emptied after the event, so that folders have to be asked for at once. */
const findDropped = (items: DataTransferItemList) =>
  [...items].map((item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory ? entry : item.getAsFile();
  });

/** The bundler makes a script of its own of the parser of YAML, which is as large as all formats that need it. */
function take(dropped: readonly (File | FileSystemEntry | null)[]): void {
  import('yaml').catch(() => {}); // the formats fail as well
  void import('./take-files.ts').then((part) => part.takeFiles(dropped.filter(part.isDropped)), notifyMissing);
}

export function chooseFiles(): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
  input.addEventListener('change', () => input.files && take([...input.files]));
  input.click();
}
