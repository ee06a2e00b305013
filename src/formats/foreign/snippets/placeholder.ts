import { placeholdersIn } from '../../../core/placeholders.ts';

/**
 * Writes a placeholder with its choices, the default first, or with a default alone; undefined if the syntax of
 * placeholders cannot hold the name or a value.
 */
export function placeholderOf(name: string, choices: readonly string[]): string | undefined {
  const rule = choices.length === 0 ? '' : `=${choices.map((choice) => choice.replaceAll('|', '\\|')).join('|')}`;
  const text = `{{${name}${rule}}}`;
  const [read, other] = placeholdersIn(text);
  const values = read?.choices ?? (read?.default === undefined ? [] : [read.default]);
  const isSame = values.length === choices.length && values.every((value, at) => value === choices[at]);
  return isSame && read?.name === name && other === undefined ? text : undefined;
}
