import type { Database } from 'bun:sqlite';
import { type Labels, labelsFrom } from '../../../domain/labels/labels.ts';

interface LabelRow {
  readonly group: string;
  readonly label: string | null;
}

export function readLabels(db: Database): Labels {
  const rows = db.query<LabelRow, []>('SELECT "group", label FROM group_labels').all();
  return labelsFrom(rows.map(({ group, label }) => [group, label]));
}

export function putLabels(db: Database, labels: Labels): void {
  const put = db.query('INSERT OR REPLACE INTO group_labels ("group", label) VALUES (?, ?)');
  for (const [group, label] of Object.entries(labels)) put.run(group, label);
}
