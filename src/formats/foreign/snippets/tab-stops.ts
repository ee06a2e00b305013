import { piecesOf } from '../../../domain/placeholders.ts';

/**
 * The syntax of a snippet's body in VS Code, based on its documentation in github.com/microsoft/vscode: `$1`,
 * `${1:default}`, `${1|one,two|}`, and `\` before `$`, `}` and `\`. Anything else that begins with `$` is unsupported.
 */
const token =
  /\\[$}\\]|\$(?<plain>\d+)|\$\{(?<bare>\d+)\}|\$\{(?<preset>\d+):(?<value>[^${}|\\]*)\}|\$\{(?<chosen>\d+)\|(?<choices>(?:[^$|\\]|\\[,|\\])+)\|\}|\$(?=[\w{])/g;

/**
 * Replaces tab stops by `{{1}}`, `{{1=default}}` and `{{1=one|two}}`. Returns the body unchanged if that would lose
 * meaning: variables, transforms, nested tab stops, or texts that a placeholder cannot contain.
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
    if (name === '0' && rule === '') continue; // the final cursor position
    text += placed[placed.push(`{{${name}${rule}}}`) - 1];
  }
  text += body.slice(end);
  const found = piecesOf(text).filter(({ name }) => name !== undefined);
  return found.map((piece) => piece.text).join() === placed.join() ? text : body;
}

/** The part of a placeholder after its name; undefined if there is no equivalent. */
function ruleOf({ value, choices }: Readonly<Record<string, string | undefined>>): string | undefined {
  const values = choices?.match(/(?:[^,\\]|\\.)+/g)?.map((choice) => choice.replace(/\\(.)/g, '$1')) ?? [value ?? ''];
  if (choices === undefined && values[0] === '') return '';
  const isKept = values.every((one) => one !== '' && one === one.trim() && !/[{}|\r\n]/.test(one));
  const isWhole = isKept && new Set(values).size === values.length && !/^[=>~]/.test(values[0] ?? '');
  return isWhole ? `=${values.join('|')}` : undefined;
}
