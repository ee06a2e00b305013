import type { StoredLabels } from '../../core/value-labels.ts';
import { type GroupLabelRow, splitStoredLabels, toStoredLabels } from '../stored-labels.ts';
import { type ConnectionPool, rollBackAndRelease } from './connection-pool.ts';
import { beginAndQueryEach, type OpenPostgresDatabase } from './postgres-transactions.ts';
import { quoteJsonSql } from './recordset.ts';

/** The rows of both tables. That of `category_labels` has no group. */
const selectLabels = `SELECT "group", label FROM group_labels
  UNION ALL SELECT NULL AS "group", labels AS label FROM category_labels`;

export async function readLabels(connections: ConnectionPool): Promise<StoredLabels> {
  const rows = await connections.readWithRetries<{ group: string | null; label: string | null }>(selectLabels);
  const ofCategories = rows.find(({ group }) => group === null);
  return toStoredLabels(
    rows.filter((row): row is GroupLabelRow => row.group !== null),
    ofCategories?.label ?? undefined,
  );
}

/** Locks the row with the labels of categories, which it inserts if there is none, and returns the latest labels. */
const lockCategoryLabelsSql = `INSERT INTO category_labels AS stored (only_row, labels) VALUES (1, '{}')
  ON CONFLICT (only_row) DO UPDATE SET labels = stored.labels
  RETURNING labels`;

const selectGroupLabelsSql = 'SELECT "group", label FROM group_labels';

function upsertLabelsSql(labels: StoredLabels): string {
  const { rows, categoryLabels } = splitStoredLabels(labels);
  return `INSERT INTO group_labels ("group", label)
    SELECT "group", label FROM json_to_recordset(${quoteJsonSql(JSON.stringify(rows))}) AS changed("group" text, label text)
    ON CONFLICT ("group") DO UPDATE SET label = excluded.label;
    UPDATE category_labels SET labels = ${quoteJsonSql(categoryLabels)}`;
}

/**
 * Replaces the labels by what `change` returns for those that are stored. Another transaction that does the same waits
 * until this one has ended, so that both together cannot store two labels that are alike.
 */
export async function updateAndCommitLabels(
  { connections }: OpenPostgresDatabase,
  change: (stored: StoredLabels) => StoredLabels,
): Promise<StoredLabels> {
  const connection = await connections.reserve();
  try {
    const { found } = await beginAndQueryEach(connection, lockCategoryLabelsSql, selectGroupLabelsSql);
    const [[locked] = [], rows = []] = found as unknown as [readonly { labels: string }[], readonly GroupLabelRow[]];
    const labels = change(toStoredLabels(rows, locked?.labels));
    await connection.query(`${upsertLabelsSql(labels)}; COMMIT`);
    connection.release();
    return labels;
  } catch (error) {
    await rollBackAndRelease(connection);
    throw error;
  }
}
