import { piecesOf } from '../../../domain/placeholders.ts';

/**
 * The syntax of a snippet's body in VS Code, after github.com/microsoft/vscode, docs of its snippets: `$1`,
 * `${1:default}`, `${1|one,two|}`, and `\` before `$`, `}` and `\`. All else that begins with `$` is beyond a name.
 */
const token =
  /\\[$}\\]|\$(?<plain>\d+)|\$\{(?<bare>\d+)\}|\$\{(?<preset>\d+):(?<value>[^${}|\\]*)\}|\$\{(?<chosen>\d+)\|(?<choices>(?:[^$|\\]|\\[,|\\])+)\|\}|\$(?=[\w{])/g;

/**
 * A body with `{{1}}`, `{{1=default}}` and `{{1=one|two}}` in place of its tab stops, where that says the same. As it is
 * where it does not: with variables, transforms, one tab stop inside another, or texts that a placeholder cannot hold.
 */
export function withPlaceholders(body: string): string {
  const rules = new Map<string, string>();
  const placed: string[] = [];
  let text = '';
  let end = 0;
  for (const { 0: whole, index, groups = {} } of body.matchAll(token)) {
    text += body.slice(end, index);
    end = index + whole.length;
    if (whole.startsWith('\\')) {
      text += whole.slice(1);
      continue;
    }
    const name = groups['plain'] ?? groups['bare'] ?? groups['preset'] ?? groups['chosen'];
    const rule = ruleOf(groups);
    const isOther = rule !== '' && rule !== (rules.get(name ?? '') ?? rule);
    if (name === undefined || rule === undefined || isOther) return body;
    if (rule !== '') rules.set(name, rule);
    if (name === '0' && rule === '') continue; // where the cursor stays
    text += placed[placed.push(`{{${name}${rule}}}`) - 1];
  }
  text += body.slice(end);
  const found = piecesOf(text).filter(({ name }) => name !== undefined);
  return found.map((piece) => piece.text).join() === placed.join() ? text : body;
}

/** What stands behind the name of the placeholder; undefined where none says the same. */
function ruleOf({ value, choices }: Readonly<Record<string, string | undefined>>): string | undefined {
  const values = choices?.match(/(?:[^,\\]|\\.)+/g)?.map((choice) => choice.replace(/\\(.)/g, '$1')) ?? [value ?? ''];
  if (choices === undefined && values[0] === '') return '';
  const isKept = values.every((one) => one !== '' && one === one.trim() && !/[{}|\r\n]/.test(one));
  const isWhole = isKept && new Set(values).size === values.length && !/^[=>~]/.test(values[0] ?? '');
  return isWhole ? `=${values.join('|')}` : undefined;
}
