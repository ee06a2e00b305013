/** Words of a search that name a category, group or color: these names are in no note's text. */
import { type Filters, parseQuery } from '../../core/search-line.ts';

const namedFields = ['category', 'group', 'color'] as const;

export interface NamedFilter {
  readonly value: string;
  readonly filters: Partial<Omit<Filters, 'archived'>>;
  /** The other words. */
  readonly words: string;
}

/**
 * Lists the filters that a word of a search names, by a value or its label, as they are typed after `category:`.
 *
 * Example: "css tooltip" names the category `css`, and the other word is "tooltip".
 */
export function listNamedFilters(line: string, labels: Parameters<typeof parseQuery>[1]): readonly NamedFilter[] {
  const words = line.split(' ');
  return words.flatMap((word, index) =>
    namedFields.flatMap((field): NamedFilter[] => {
      const values = parseQuery(`${field}:${word}`, labels).filters[field];
      const [value] = values;
      return value ? [{ value, filters: { [field]: values }, words: words.toSpliced(index, 1).join(' ') }] : [];
    }),
  );
}
