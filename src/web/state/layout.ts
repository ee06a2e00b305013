/** Which panes are shown, as in page.css. */
import { computed, effect, signal } from '@preact/signals';
import { urlState } from './navigation.ts';

const wide = matchMedia('(width >= 40rem)');

/** Whether an open note stands beside the list. */
export const isBesideList = signal(wide.matches);
wide.addEventListener('change', () => {
  isBesideList.value = wide.matches;
});

/** Whether the open note covers everything else. */
export const isCovered = computed(() => !isBesideList.value && urlState.value.note !== undefined);

/** The id of the open note while its form is shown instead; otherwise undefined. */
export const editing = signal<number | undefined>(undefined);

effect(() => {
  if (editing.value !== urlState.value.note) editing.value = undefined;
});
