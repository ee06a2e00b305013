/** Reads the fields of a form with the line ends of the note, which form controls normalise. */
import { fieldValues, type ValueField } from '../../core/enums.ts';
import type { NoteDraft } from '../../core/note.ts';
import { countCommonPrefix, countCommonSuffix } from '../history/common-affixes.ts';

/** An unedited text as read back from a text area or from a single-line field. */
const toAreaText = (text: string) => text.replace(/\r\n?/g, '\n');
const removeLineBreaks = (text: string) => text.replace(/[\r\n]/g, '');

/** The text typed into an area that showed `before`: unedited lines keep their ends, new ones get that of the first. */
export function restoreLineEnds(typed: string, before: string): string {
  if (!before.includes('\r')) return typed;
  const shown = toAreaText(before);
  const start = countCommonPrefix(typed, shown);
  const end = countCommonSuffix(typed, shown, start);
  const middle = typed.slice(start, typed.length - end);
  const lineEnd = /\r\n?|\n/.exec(before)?.[0] ?? '\n';
  const head = before.slice(0, findSourceOffset(before, start));
  const tail = before.slice(findSourceOffset(before, shown.length - end));
  const text = head + middle.replaceAll('\n', lineEnd) + tail;
  return toAreaText(text) === typed ? text : typed; // adjacent line ends may have merged
}

/** The offset in `text` of the character that a text area shows at `index`. */
function findSourceOffset(text: string, index: number): number {
  let offset = 0;
  for (let shown = 0; shown < index; shown++) offset += text.startsWith('\r\n', offset) ? 2 : 1;
  return offset;
}

export function restoreFieldLineEnds(typed: NoteDraft, before: NoteDraft): NoteDraft {
  const title = typed.title === removeLineBreaks(before.title) ? before.title : typed.title;
  return { ...typed, title, content: restoreLineEnds(typed.content, before.content) };
}

export function readFormFields(form: HTMLFormElement, before: NoteDraft): NoteDraft {
  const textOf = (name: string) => {
    const control = form.elements.namedItem(name);
    return control !== null && 'value' in control ? String(control.value) : '';
  };
  const oneOf = <Name extends ValueField>(name: Name, values: readonly NoteDraft[Name][]) =>
    values.find((value) => value === textOf(name)) ?? before[name];
  const { category, group, color } = fieldValues;
  const chosen = { category: oneOf('category', category), group: oneOf('group', group), color: oneOf('color', color) };
  return restoreFieldLineEnds({ title: textOf('title'), content: textOf('content'), ...chosen }, before);
}
