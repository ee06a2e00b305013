/** The labels of groups: stored by the service, with a copy in this browser for the first paint. */
import { signal } from '@preact/signals';
import type { Group, Labels } from '../../core/group-labels.ts';
import { isObject } from '../../core/json/json.ts';
import { client } from './notes.ts';
import { pagePath, readJson, writeItem } from './storage.ts';

const key = `notes.labels:${pagePath}`;

function storedLabels(): Partial<Labels> {
  const labels = readJson(key);
  return isObject(labels) ? (labels as Partial<Labels>) : {}; // ours
}

export const labels = signal(storedLabels());

export const groupName = (group: Group): string => labels.value[group] ?? group;

export function takeLabels(next: Labels): void {
  const text = JSON.stringify(next);
  if (text === JSON.stringify(labels.value)) return;
  labels.value = next;
  writeItem(key, text);
}

/** Reloads the labels. Keeps the known ones if the service is unreachable or too old to have labels. */
const loadLabels = () => client.labels().then(takeLabels, () => {});

export function followLabels(): void {
  void loadLabels();
  window.addEventListener('focus', () => void loadLabels());
  window.addEventListener('storage', (event) => {
    if (event.key === key) labels.value = storedLabels();
  });
}
