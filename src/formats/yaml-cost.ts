import { CST, Lexer } from 'yaml';

/** A text of any length is one token, so long titles stay readable. */
export const maxTokens = 16_384;
export const maxLevels = 64;

/**
 * Whether parsing YAML could take gigabytes or minutes, judged by its tokens: each level takes memory, and every key
 * is compared with all others.
 */
export function isCostly(yaml: string): boolean {
  const columns: number[] = [];
  let [tokens, column, brackets] = [0, 0, 0];
  for (const token of new Lexer().lex(yaml)) {
    const type = CST.tokenType(token);
    if (type === 'flow-map-start' || type === 'flow-seq-start') brackets++;
    else if (type === 'flow-map-end' || type === 'flow-seq-end') brackets--;
    else if (brackets === 0 && type !== 'space' && type !== 'newline' && token.length > 0) indent(columns, column);
    if (++tokens > maxTokens || columns.length + brackets > maxLevels) return true;
    const lineEnd = token.lastIndexOf('\n');
    column = lineEnd < 0 ? column + token.length : token.length - lineEnd - 1;
  }
  return false;
}

/** Updates the open block levels, each of which begins to the right of its parent. */
function indent(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) >= column) columns.pop();
  columns.push(column);
}
