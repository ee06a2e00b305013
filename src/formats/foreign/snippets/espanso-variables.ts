/** These functions say what replaces the variables of espanso in a note, and what of them a placeholder cannot hold. */
import { type Fields, isObject } from '../../../core/json/json.ts';
import { quoteForShell } from '../../../core/text/quote-for-shell.ts';
import { toArrayOrEmpty, toObjectOrEmpty, toTextOrEmpty } from '../../untyped-values.ts';
import { type Blank, tryFormatPlaceholder } from './placeholder-text.ts';

/** An element of `vars` or `global_vars`. */
export interface EspansoVariable {
  readonly name: string;
  readonly type: string;
  readonly params: Fields;
}

/** What a reference to a variable becomes. */
export interface Replacement {
  /** A placeholder, or the text itself. */
  readonly value: Blank | string;
  /** What the placeholder cannot hold: the command that computes the value, or the values to choose from. */
  readonly detail?: { readonly text: string; readonly isCommand: boolean };
  /** A sentence on what is in no note. */
  readonly lost?: string;
}

export function toEspansoVariables(list: unknown): readonly EspansoVariable[] {
  return toArrayOrEmpty(list).map((element) => {
    const { name, type, params } = toObjectOrEmpty(element);
    return { name: toTextOrEmpty(name), type: toTextOrEmpty(type), params: toObjectOrEmpty(params) };
  });
}

/**
 * Returns what replaces `{{name}}` of a variable, or `{{name.field}}` of a field of a form. Variables of the type
 * `match` need the other matches, so that `EspansoMatchFiller` replaces them.
 */
export function toVariableReplacement({ name, type, params }: EspansoVariable, field: string | undefined): Replacement {
  const blank = { name: field ?? name, choices: [] };
  switch (type) {
    case 'date':
      return toDateReplacement(name, params);
    case 'clipboard':
      return { value: { name: 'clipboard', choices: [] } };
    case 'echo':
      return { value: toTextOrEmpty(params['echo']) };
    case 'random':
      return toChoicesOrDetailReplacement(name, toChoicesWithLabels(params['choices']));
    case 'choice':
      return toChoicesOrDetailReplacement(name, toChoicesWithLabels(params['values']));
    case 'shell':
      return createCommandReplacement(blank, toTextOrEmpty(params['cmd']));
    case 'script':
      return createCommandReplacement(
        blank,
        toArrayOrEmpty(params['args']).map(toTextOrEmpty).map(quoteForShell).join(' '),
      );
    case 'form':
      return {
        ...toFormFieldReplacement(field ?? name, toObjectOrEmpty(params['fields'])),
        lost: 'The layout of a form is left out, as its fields are placeholders',
      };
    default:
      return { value: blank, lost: 'A variable of an unknown type is a placeholder without its parameters' };
  }
}

/** A command that is empty, as in a match that is being written, leaves a placeholder alone. */
const createCommandReplacement = (blank: Blank, text: string): Replacement =>
  text.trim() === '' ? { value: blank } : { value: blank, detail: { text, isCommand: true } };

const isoDay = ['%Y-%m-%d', '%F'];

function toDateReplacement(name: string, { format, offset }: Fields): Replacement {
  if (isoDay.includes(toTextOrEmpty(format)) && offset === undefined) return { value: { name: 'date', choices: [] } };
  const lost = 'The format and the offset of a date are left out, as a placeholder has none';
  return { value: { name, choices: [] }, lost };
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/**
 * Converts values to choices. Values are a list of texts or of `{label, id}`, or one text with a value in each line.
 */
function toChoicesWithLabels(values: unknown): readonly Choice[] {
  const list =
    typeof values === 'string' ? values.split(/\r?\n/).filter((line) => line.trim() !== '') : toArrayOrEmpty(values);
  return list.map((element) => {
    if (!isObject(element)) return { value: toTextOrEmpty(element), label: toTextOrEmpty(element) };
    const label = toTextOrEmpty(element['label']);
    return { label, value: typeof element['id'] === 'string' ? element['id'] : label };
  });
}

/** More choices would make a text that nobody can read. */
const maxChoices = { count: 50, characters: 1_000 };

function toChoicesOrDetailReplacement(name: string, choices: readonly Choice[]): Replacement {
  const values = [...new Set(choices.map(({ value }) => value))];
  const isShort = values.length <= maxChoices.count && values.join('').length <= maxChoices.characters;
  const blank = { name, choices: values };
  if (choices.length === 0 || (isShort && tryFormatPlaceholder(blank) !== undefined)) {
    const isLabelled = choices.some(({ label, value }) => label !== value);
    const lost = 'The labels of choices are left out, as a placeholder shows the values alone';
    return { value: blank, ...(isLabelled && { lost }) };
  }
  const lines = choices.map(({ label, value }) => (label === value ? value : `${label}: ${value}`));
  return { value: { name, choices: [] }, detail: { text: lines.join('\n'), isCommand: false } };
}

/**
 * Returns what replaces a field of a form: a text with or without a default, or a list of values, of which one may be
 * the default.
 */
export function toFormFieldReplacement(name: string, fields: Fields): Replacement {
  const field = toObjectOrEmpty(fields[name]);
  const preset = toTextOrEmpty(field['default']);
  const choice = toChoicesOrDetailReplacement(name, toChoicesWithLabels(field['values']));
  if (field['values'] === undefined) return { value: toBlankWithDefaultOrDefaultText(name, preset) };
  const isBlank = typeof choice.value !== 'string' && choice.value.choices.includes(preset);
  if (!isBlank) return choice;
  const others = toChoicesWithLabels(field['values']).filter(({ value }) => value !== preset);
  return toChoicesOrDetailReplacement(name, [{ value: preset, label: preset }, ...others]);
}

/** A default that a placeholder cannot hold is written into the text instead of a blank. */
function toBlankWithDefaultOrDefaultText(name: string, preset: string): Blank | string {
  const blank = { name, choices: preset === '' ? [] : [preset] };
  return tryFormatPlaceholder(blank) === undefined && preset !== '' ? preset : blank;
}
