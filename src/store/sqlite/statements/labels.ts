import type { Database } from 'bun:sqlite';
import { type Labels, labelsFrom } from '../../../domain/labels/labels.ts';

export function readLabels(db: Database): Labels {
  const select = db.query<{ group: string; label: string | null }, []>('SELECT "group", label FROM group_labels');
  return labelsFrom(select.all().map(({ group, label }) => [group, label]));
}

export function putLabels(db: Database, labels: Labels): void {
  const put = db.query('INSERT OR REPLACE INTO group_labels ("group", label) VALUES (?, ?)');
  for (const [group, label] of Object.entries(labels)) put.run(group, label);
}
