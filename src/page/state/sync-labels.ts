/** Reads the labels of the service, and follows changes. Loaded after the first notes. */
import type { Labels } from '../../core/value-labels.ts';
import { labels, labelsKey, readStoredValueLabels } from './labels.ts';
import { client } from './note-requests.ts';
import { writeOrRemoveStorageItem } from './page-storage.ts';

export function showAndStoreLabels(next: Labels): void {
  const text = JSON.stringify(next);
  if (text === JSON.stringify(labels.value)) return;
  labels.value = next;
  writeOrRemoveStorageItem(labelsKey, text);
}

/** Reloads the labels. Keeps the known ones if the service is unreachable or too old to have labels. */
const tryLoadLabels = () => client.labels().then(showAndStoreLabels, () => {});

export function loadAndWatchLabels(): void {
  void tryLoadLabels();
  window.addEventListener('focus', () => void tryLoadLabels());
  window.addEventListener('storage', (event) => {
    if (event.key === labelsKey) labels.value = readStoredValueLabels();
  });
}
