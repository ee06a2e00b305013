import { batch } from '@preact/signals';
import { refreshCopiedIds } from '../state/copy-counts.ts';
import { activeSort, searchedWords } from '../state/listed-notes.ts';
import { changeUrlState } from '../state/navigation.ts';
import { storedListSort } from '../state/settings.ts';
import { type NoteSortOrder, noteSortOrderLabels, noteSortOrders } from '../state/sort-notes.ts';
import { type MenuItem, openMenu } from '../ui/menu.tsx';

export const openSortMenu = (at: Element): void => openMenu({ label: 'Sort', items: createSortMenuItems(), at });

/** Without a search there is no best match. */
export const createSortMenuItems = (): readonly MenuItem[] =>
  noteSortOrders
    .filter((value) => value !== 'match' || searchedWords.value !== '')
    .map((value) => ({
      name: noteSortOrderLabels[value],
      isChosen: value === activeSort.value,
      run: () => setSortOrder(value),
    }));

/** An order that is chosen in a search is for that search; one without a search is stored in this browser. */
function setSortOrder(value: NoteSortOrder): void {
  const isSearch = searchedWords.value !== '';
  const standard = isSearch ? 'match' : 'changed';
  batch(() => {
    refreshCopiedIds();
    if (!isSearch) storedListSort.value = value;
    changeUrlState({ sort: value === standard ? undefined : value });
  });
}
