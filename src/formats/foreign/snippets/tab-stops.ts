import { piecesOf } from '../../../core/placeholders.ts';
import { placeholderOf } from './placeholder.ts';

/**
 * The syntax of a snippet's body in VS Code, based on its documentation in github.com/microsoft/vscode: `$1`,
 * `${1:default}`, `${1|one,two|}`, and `\` before `$`, `}` and `\`. Anything else that begins with `$` is unsupported.
 */
const token =
  /\\[$}\\]|\$(?<plain>\d+)|\$\{(?<bare>\d+)\}|\$\{(?<preset>\d+):(?<value>(?:[^${}\\]|\\[$}\\])*)\}|\$\{(?<chosen>\d+)\|(?<choices>(?:[^|\\]|\\[,|\\])+)\|\}|\$(?=[\w{])/g;

/**
 * Replaces tab stops by `{{1}}`, `{{1=default}}` and `{{1=one|two}}`. Returns the body unchanged if that would lose
 * meaning: variables, transforms, nested tab stops, or texts that a placeholder cannot contain.
 */
export function withPlaceholders(body: string): string {
  const rules = new Map<string, string>(); // those with values, by name
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
    const placeholder = name === undefined ? undefined : placeholderOf(name, valuesIn(groups));
    if (name === undefined || placeholder === undefined) return body;
    const isBare = placeholder === `{{${name}}}`;
    if (!isBare && placeholder !== (rules.get(name) ?? placeholder)) return body;
    if (!isBare) rules.set(name, placeholder);
    if (name === '0' && isBare) continue; // the final cursor position
    text += placed[placed.push(placeholder) - 1];
  }
  text += body.slice(end);
  const found = piecesOf(text).filter(({ name }) => name !== undefined);
  return found.map((piece) => piece.text).join() === placed.join() ? text : body;
}

/** The default, or the choices. */
const valuesIn = ({ value = '', choices }: Readonly<Record<string, string | undefined>>): readonly string[] =>
  (choices?.match(/(?:[^,\\]|\\.)+/gs) ?? [value].filter(Boolean)).map((one) => one.replace(/\\(.)/gs, '$1'));
