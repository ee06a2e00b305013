/** Says, while files are dragged over the page, that they can be dropped. A popover lies above open dialogs. */
const hint = Object.assign(document.createElement('p'), {
  className: 'drop-hint',
  popover: 'manual',
  textContent: 'Drop files to make notes of them',
});
document.body.append(hint);

/** In ms. Browsers repeat dragover at least every 350 ms, but do not report each end of a drag. */
const lifetimeMs = 700;
let timer: ReturnType<typeof setTimeout> | undefined;

export function showDropHint(): void {
  clearTimeout(timer);
  timer = setTimeout(hide, lifetimeMs);
  hint.togglePopover(true);
}

const hide = () => hint.togglePopover(false);

window.addEventListener('drop', hide);
window.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) hide();
});
