import { notifyMissing } from '../ui/lazy.ts';

/** Imports files dropped or pasted anywhere. Without a listener, a dropped file would replace the page. */
export function listenToFiles(): void {
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    import('./drop-hint.ts').then((part) => part.showDropHint()).catch(() => {}); // optional
  });
  window.addEventListener('drop', (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  });
  // word processors copy a picture along with the text: prefer the text
  window.addEventListener('paste', (event) => {
    const { clipboardData, defaultPrevented } = event;
    if (defaultPrevented || !hasFiles(clipboardData) || clipboardData.types.includes('text/plain')) return;
    event.preventDefault();
    take(clipboardData.files);
  });
}

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') === true;

/** Opens the form or the import of files. */
function take(files: FileList): void {
  const taken = [...files]; // the list is emptied after the event
  void import('./take-files.ts').then((part) => part.takeFiles(taken), notifyMissing);
}

/** Lets one choose files to import. */
export function chooseFiles(): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
  input.addEventListener('change', () => input.files && take(input.files));
  input.click();
}
