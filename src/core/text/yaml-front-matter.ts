/**
 * Finds YAML front matter: lines such as `title: Tea` between two lines `---` at the very beginning of a text. The second one
 * may be `...`.
 *
 * Example: in `---\ntitle: Tea\n---\n# Green`, it is `---\ntitle: Tea\n---\n`, and its YAML is `title: Tea`.
 */

/** A line such as `title: Tea`. */
const keyLine = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_. -]*:(?:[ \t].*)?`;
const laterLine = String.raw`(?:${keyLine}|[ \t]+\S.*|-[ \t].*|#.*|[ \t]*)`;

/**
 * The first line that is no comment, and at least one in all, is a key with a colon. Others may be indented, items,
 * comments or blank. The number of lines is limited, as the list looks for them in each row that it draws.
 */
const frontMatterPattern = new RegExp(
  String.raw`^\ufeff?---[ \t]*\r?\n((?:#.*\r?\n){0,20}${keyLine}(?:\r?\n${laterLine}){0,200}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)`,
  'u',
);

const yamlKeyPattern = new RegExp(`^${keyLine}$`, 'u');

/** Whether a line is a key of YAML, with or without its value. */
export const isYamlKeyLine = (line: string): boolean => yamlKeyPattern.test(line);

export interface FrontMatter {
  /** The front matter with the lines around it, and the line end after them. */
  readonly whole: string;
  /** The lines between these. */
  readonly yaml: string;
}

export function findFrontMatter(text: string): FrontMatter | undefined {
  const [whole, yaml] = frontMatterPattern.exec(text) ?? [];
  return whole === undefined || yaml === undefined ? undefined : { whole, yaml };
}

/** The offset of the text below front matter; 0 without front matter, or if there is nothing else. */
export function findBodyStart(text: string): number {
  const body = removeFrontMatter(text);
  return body.trim() === '' ? 0 : text.length - body.length;
}

export const removeFrontMatter = (text: string): string => text.replace(frontMatterPattern, '');
