/** The labels of categories and groups: stored by the service, with a copy in this browser for the first paint. */
import { signal } from '@preact/signals';
import { isObject } from '../../core/json/json.ts';
import type { Labels } from '../../core/value-labels.ts';
import { pagePath, readStorageJson } from './page-storage.ts';

export const labelsKey = `notes.labels:${pagePath}`;

export function readStoredValueLabels(): Partial<Labels> {
  const labels = readStorageJson(labelsKey);
  return isObject(labels) ? (labels as Partial<Labels>) : {}; // ours
}

export const labels = signal(readStoredValueLabels());
