import { signal } from '@preact/signals';

const paper = matchMedia('print');

/** Whether the page is being put on paper. */
export const printing = signal(paper.matches);
paper.addEventListener('change', () => {
  printing.value = paper.matches;
});
window.addEventListener('beforeprint', () => {
  printing.value = true;
});
window.addEventListener('afterprint', () => {
  printing.value = paper.matches;
});
