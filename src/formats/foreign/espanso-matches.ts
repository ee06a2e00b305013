/** Replaces the variables in the matches of espanso. */
import type { Fields } from '../../core/json/json.ts';
import { toText } from '../untyped-values.ts';
import {
  type EspansoVariable,
  type Replacement,
  toFormFieldReplacement,
  toVariableReplacement,
} from './espanso-variables.ts';
import { type Blank, replaceBlanksByPlaceholders } from './placeholder-text.ts';

export interface EspansoMatch {
  readonly label: string;
  readonly triggers: readonly string[];
  readonly regex: string;
  readonly searchTerms: readonly string[];
  /** What it writes, before its variables are replaced. */
  readonly text: string;
  /** Whether `[[name]]` in the text is a field of a form, described in `fields`. */
  readonly isForm: boolean;
  readonly fields: Fields;
  readonly variables: readonly EspansoVariable[];
  readonly isImage: boolean;
}

/** What matches refer to, in all files. Variables of a match come before those for all. */
export class KnownMatches {
  readonly variables: ReadonlyMap<string, EspansoVariable>;
  readonly #matches: ReadonlyMap<string, EspansoMatch>;
  /** The matches that were filled; undefined while one is, so that circles end. */
  readonly #filled = new Map<EspansoMatch, FilledMatch | undefined>();
  #inserted = 0;

  constructor(
    files: readonly { readonly variables: readonly EspansoVariable[]; readonly matches: readonly EspansoMatch[] }[],
  ) {
    this.variables = new Map(files.flatMap(({ variables }) => variables).map((variable) => [variable.name, variable]));
    const matches = files.flatMap((file) => file.matches);
    this.#matches = new Map(matches.flatMap((match) => match.triggers.map((trigger) => [trigger, match])));
  }

  /** Replaces the variables of a match; undefined if that is under way, as the match inserts itself. */
  tryGetFilledMatch(match: EspansoMatch): FilledMatch | undefined {
    if (!this.#filled.has(match)) {
      this.#filled.set(match, undefined);
      this.#filled.set(match, fillMatch(match, this));
    }
    return this.#filled.get(match);
  }

  /** The text of the match with this trigger; undefined if there is none, or if it inserts itself. */
  tryFillTextOfTrigger(trigger: string): string | undefined {
    const match = this.#matches.get(trigger);
    return match && this.tryGetFilledMatch(match)?.content;
  }

  /**
   * Counts a text before it is inserted. Returns whether there is room for it: texts that insert others many times could
   * fill the memory.
   */
  tryReserveInsertion(text: string): boolean {
    this.#inserted += text.length;
    return this.#inserted <= maxInserted;
  }
}

/** In characters, of one import. */
const maxInserted = 16 * 2 ** 20;

interface FilledMatch {
  readonly content: string;
  /** Whether the content is the command of a variable. */
  readonly isCommand: boolean;
  /** What placeholders cannot hold, by the name of the variable. */
  readonly details: ReadonlyMap<string, Detail>;
  /** Sentences on what is in no note. */
  readonly lost: ReadonlySet<string>;
}

type Detail = NonNullable<Replacement['detail']>;

/** `{{name}}`, `{{form.field}}`, and in forms `[[field]]`. */
const referencePattern = /\{\{\s*(?<name>\w+)(?:\.(?<field>\w+))?\s*\}\}|\[\[\s*(?<blank>[^[\]\r\n]+?)\s*\]\]/g;
const onlyReferencePattern = /^\s*\{\{\s*(\w+)\s*\}\}\s*$/;

/**
 * Replaces the variables in the text of a match. A variable that a placeholder cannot hold becomes a detail, which is a
 * note of its own, or the content if the text is nothing else.
 *
 * Example: `Branch: {{b}}` with the variable `b` of the type shell, `git branch`, becomes the content `Branch: {{b}}` and
 * the detail `b`, the command `git branch`. Of the text `{{b}}` alone, the content is the command, and there is no detail.
 */
function fillMatch(match: EspansoMatch, known: KnownMatches): FilledMatch {
  const own = new Map(match.variables.map((variable) => [variable.name, variable]));
  const details = new Map<string, Detail>();
  const lost = new Set<string>();
  const inserted = new Set<string>();
  const addToNote = (replacement: Replacement | undefined, name: string): Blank | string | undefined => {
    if (replacement?.detail) details.set(name, replacement.detail);
    if (replacement?.lost !== undefined) lost.add(replacement.lost);
    const value = replacement?.value;
    return typeof value !== 'string' || known.tryReserveInsertion(value) ? value : undefined;
  };
  const fillText = (text: string) =>
    replaceBlanksByPlaceholders(text, referencePattern, ({ groups = {} }) => {
      const { name = '', field, blank } = groups;
      if (blank !== undefined)
        return match.isForm ? addToNote(toFormFieldReplacement(blank, match.fields), blank) : undefined;
      const variable = own.get(name) ?? known.variables.get(name);
      inserted.add(name);
      return variable && addToNote(tryCreateReplacement(variable, field, known), name);
    });
  const text = fillText(match.text.replace('$|$', ''));
  for (const [name, variable] of own) {
    const replacement = tryCreateReplacement(variable, undefined, known);
    addToNote(replacement, name);
    if (!inserted.has(name) && !details.has(name)) addDetailOfUnusedVariable(details, name, replacement);
  }
  for (const [name, detail] of details) details.set(name, { ...detail, text: fillText(detail.text) });
  const onlyName = onlyReferencePattern.exec(match.text)?.[1] ?? '';
  const only = details.get(onlyName);
  if (only === undefined) return { content: text, isCommand: false, details, lost };
  details.delete(onlyName); // it is the content instead
  return { content: only.text, isCommand: only.isCommand, details, lost };
}

/** Adds the values of a variable that the match does not insert: no placeholder has them. */
function addDetailOfUnusedVariable(
  details: Map<string, Detail>,
  name: string,
  replacement: Replacement | undefined,
): void {
  const { value = '' } = replacement ?? {};
  const text = typeof value === 'string' ? value : value.choices.join('\n');
  if (text.trim() !== '') details.set(name, { text, isCommand: false });
}

function tryCreateReplacement(
  variable: EspansoVariable,
  field: string | undefined,
  known: KnownMatches,
): Replacement | undefined {
  if (variable.type !== 'match') return toVariableReplacement(variable, field);
  const text = known.tryFillTextOfTrigger(toText(variable.params['trigger']));
  return text === undefined ? undefined : { value: text };
}
