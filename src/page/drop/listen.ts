import { notifyMissing } from '../ui/lazy.ts';
import { openNew, pasted } from '../ui/new-note.ts';

/** Imports files dropped or pasted anywhere, and begins a note with a text pasted outside of a field. */
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
    take(event.dataTransfer.files);
  });
  // word processors copy a picture along with the text: prefer the text
  window.addEventListener('paste', (event) => {
    const { clipboardData, defaultPrevented, target } = event;
    const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
    if (defaultPrevented || (text === '' ? !hasFiles(clipboardData) : isForField(target, text))) return;
    event.preventDefault();
    if (text !== '') openNew(pasted(text));
    else if (clipboardData) take(clipboardData.files);
  });
}

/** Fields take texts, but the lines of a longer one would be lost in the search. */
function isForField(target: EventTarget | null, text: string): boolean {
  const field = target instanceof Element ? target.closest('input, textarea, select, dialog') : null;
  const isEmptySearch = field instanceof HTMLInputElement && field.id === 'search' && field.value === '';
  return field !== null && !(isEmptySearch && text.trim().includes('\n'));
}

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') === true;

function take(files: FileList): void {
  const taken = [...files]; // the list is emptied after the event
  void import('./take-files.ts').then((part) => part.takeFiles(taken), notifyMissing);
}

export function chooseFiles(): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
  input.addEventListener('change', () => input.files && take(input.files));
  input.click();
}
