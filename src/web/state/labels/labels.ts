/** What the groups are called: the service keeps it, and this browser a copy for the first paint. */
import { signal } from '@preact/signals';
import type { Group, Labels } from '../../../domain/labels/labels.ts';
import { isObject } from '../../../shared/json.ts';
import { client } from '../notes.ts';
import { pagePath, readJson, writeItem } from '../storage.ts';

const key = `notes.labels:${pagePath}`;

function kept(): Partial<Labels> {
  const labels = readJson(key);
  return isObject(labels) ? (labels as Partial<Labels>) : {}; // ours
}

export const labels = signal(kept());

/** The name of a group as it is shown. */
export const groupName = (group: Group): string => labels.value[group] ?? group;

export function takeLabels(next: Labels): void {
  const text = JSON.stringify(next);
  if (text === JSON.stringify(labels.value)) return;
  labels.value = next;
  writeItem(key, text);
}

/** Reads them anew. While the service is away, or too old to have any, those that are known stay. */
const loadLabels = () => client.labels().then(takeLabels, () => {});

/** Loads the labels, and again whenever the page is focused or another tab has changed them. */
export function followLabels(): void {
  void loadLabels();
  window.addEventListener('focus', () => void loadLabels());
  window.addEventListener('storage', (event) => {
    if (event.key === key) labels.value = kept();
  });
}
