import { groups } from '../../../domain/enums.ts';
import { type Labels, labelsFrom } from '../../../domain/labels/labels.ts';
import type { Connections } from '../connections.ts';
import { awaitCommit } from './writes.ts';

export async function readLabels(connections: Connections): Promise<Labels> {
  const select = 'SELECT "group", label FROM group_labels';
  const rows = await connections.read<{ group: string; label: string | null }>(select);
  return labelsFrom(rows.map(({ group, label }) => [group, label]));
}

const rows = groups.map((group, index) => `('${group}', $${index + 1}::text)`).join(', ');
const put = `INSERT INTO group_labels ("group", label) VALUES ${rows}
  ON CONFLICT ("group") DO UPDATE SET label = excluded.label`;

/** A single statement is a transaction. With Citus, which commits on other nodes, `awaitCommit` has no effect. */
export async function putLabels(connections: Connections, labels: Labels, isDistributed: boolean): Promise<void> {
  const values = groups.map((group) => labels[group]);
  await connections.rows(isDistributed ? put : `${put} RETURNING ${awaitCommit}`, values);
}
