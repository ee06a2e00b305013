import { groups } from '../core/enums.ts';
import type { StoredLabels } from '../core/value-labels.ts';

/** A row of `group_labels`. */
export interface GroupLabelRow {
  readonly group: string;
  readonly label: string | null;
}

const isGroup = (value: string): boolean => groups.some((group) => group === value);

/**
 * Joins the rows of `group_labels` with the object of `category_labels`. Rows of groups that only a later version knows
 * are left out, as they are not written either.
 */
export const toStoredLabels = (rows: readonly GroupLabelRow[], categoryLabels: string | undefined): StoredLabels => ({
  ...Object.fromEntries(rows.filter(({ group }) => isGroup(group)).map(({ group, label }) => [group, label])),
  ...JSON.parse(categoryLabels ?? '{}'),
});

/** Splits labels into the rows of `group_labels` and the object of `category_labels`, as JSON without nulls. */
export function splitStoredLabels(labels: StoredLabels): {
  readonly rows: readonly GroupLabelRow[];
  readonly categoryLabels: string;
} {
  const others = Object.entries(labels).filter(([value, label]) => !isGroup(value) && label !== null);
  return {
    rows: groups.map((group) => ({ group, label: labels[group] ?? null })),
    categoryLabels: JSON.stringify(Object.fromEntries(others)),
  };
}
