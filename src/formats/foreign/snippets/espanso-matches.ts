/** This module replaces the variables in the matches of espanso. */
import type { Fields } from '../../../core/json/json.ts';
import { toTextOrEmpty } from '../../untyped-values.ts';
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
  /** The text that the match writes, before its variables are replaced. */
  readonly text: string;
  /** Whether `[[name]]` in the text is a field of a form, described in `fields`. */
  readonly isForm: boolean;
  readonly fields: Fields;
  readonly variables: readonly EspansoVariable[];
  readonly isImage: boolean;
}

/**
 * Fills the matches of all files: a match may insert another one by its trigger, and use variables for all. Its own
 * variables come before those.
 */
export class EspansoMatchFiller {
  readonly variables: ReadonlyMap<string, EspansoVariable>;
  readonly #matches: ReadonlyMap<string, EspansoMatch>;
  /** The matches that were filled. The value is undefined while a match is being filled, so that circles end. */
  readonly #filled = new Map<EspansoMatch, FilledMatch | undefined>();
  #inserted = 0;

  constructor(
    files: readonly { readonly variables: readonly EspansoVariable[]; readonly matches: readonly EspansoMatch[] }[],
  ) {
    this.variables = new Map(files.flatMap(({ variables }) => variables).map((variable) => [variable.name, variable]));
    const matches = files.flatMap((file) => file.matches);
    this.#matches = new Map(matches.flatMap((match) => match.triggers.map((trigger) => [trigger, match])));
  }

  /**
   * Replaces the variables of a match at the first call. Returns undefined while that is under way: then the match
   * inserts itself.
   */
  fillAndCacheMatchUnlessFilling(match: EspansoMatch): FilledMatch | undefined {
    if (!this.#filled.has(match)) {
      this.#filled.set(match, undefined);
      this.#filled.set(match, fillMatch(match, this));
    }
    return this.#filled.get(match);
  }

  /** Returns the text of the match with this trigger. Returns undefined if there is none, or if it inserts itself. */
  tryFillAndCacheTextOfTrigger(trigger: string): string | undefined {
    const match = this.#matches.get(trigger);
    return match && this.fillAndCacheMatchUnlessFilling(match)?.content;
  }

  /**
   * Counts a text before it is inserted. Returns whether there is room for it: texts that insert others many times
   * could fill the memory.
   */
  countInsertedCharactersAndIsWithinLimit(text: string): boolean {
    this.#inserted += text.length;
    return this.#inserted <= maxInserted;
  }
}

/** The limit of the characters that one import inserts. */
const maxInserted = 16 * 2 ** 20;

interface FilledMatch {
  readonly content: string;
  /** Whether the content is the command of a variable. */
  readonly isCommand: boolean;
  /** What placeholders cannot hold, by the name of the variable. */
  readonly details: ReadonlyMap<string, Detail>;
  /** Sentences that say what is in no note. */
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
 * Example: `Branch: {{b}}` with the variable `b` of the type shell, `git branch`, becomes the content `Branch: {{b}}`
 * and the detail `b`, the command `git branch`. Of the text `{{b}}` alone, the content is the command, and there is no
 * detail.
 */
function fillMatch(match: EspansoMatch, filler: EspansoMatchFiller): FilledMatch {
  const replacer = new VariableReplacer(match, filler);
  const text = replacer.replaceVariablesAndCollectDetails(match.text.replace('$|$', ''));
  replacer.collectDetailsOfOwnVariables();
  replacer.replaceVariablesOfDetails();
  const { details, lost } = replacer;
  const onlyName = onlyReferencePattern.exec(match.text)?.[1] ?? '';
  const only = details.get(onlyName);
  if (only === undefined) return { content: text, isCommand: false, details, lost };
  details.delete(onlyName); // it is the content instead
  return { content: only.text, isCommand: only.isCommand, details, lost };
}

/** Replaces the variables of one match, and collects what placeholders cannot hold of them. */
class VariableReplacer {
  readonly details = new Map<string, Detail>();
  readonly lost = new Set<string>();
  readonly #match: EspansoMatch;
  readonly #filler: EspansoMatchFiller;
  readonly #own: ReadonlyMap<string, EspansoVariable>;
  readonly #namesInTexts = new Set<string>();

  constructor(match: EspansoMatch, filler: EspansoMatchFiller) {
    this.#match = match;
    this.#filler = filler;
    this.#own = new Map(match.variables.map((variable) => [variable.name, variable]));
  }

  replaceVariablesAndCollectDetails(text: string): string {
    return replaceBlanksByPlaceholders(text, referencePattern, ({ groups = {} }) => {
      const { name = '', field, blank } = groups;
      return blank === undefined ? this.#tryReplaceVariable(name, field) : this.#tryReplaceFormField(blank);
    });
  }

  /** Collects the details of all variables of the match, also of those that its text does not name. */
  collectDetailsOfOwnVariables(): void {
    for (const [name, variable] of this.#own) {
      const replacement = tryCreateVariableReplacement(variable, undefined, this.#filler);
      this.#collectDetailAndGetValueIfRoom(replacement, name);
      if (!this.#namesInTexts.has(name) && !this.details.has(name)) this.#addValueAsDetailIfNonBlank(name, replacement);
    }
  }

  /** A command may name further variables, whose details are added while the loop runs, and follow in it. */
  replaceVariablesOfDetails(): void {
    for (const [name, detail] of this.details) {
      this.details.set(name, { ...detail, text: this.replaceVariablesAndCollectDetails(detail.text) });
    }
  }

  #tryReplaceFormField(name: string): Blank | string | undefined {
    if (!this.#match.isForm) return undefined;
    return this.#collectDetailAndGetValueIfRoom(toFormFieldReplacement(name, this.#match.fields), name);
  }

  #tryReplaceVariable(name: string, field: string | undefined): Blank | string | undefined {
    const variable = this.#own.get(name) ?? this.#filler.variables.get(name);
    this.#namesInTexts.add(name);
    return (
      variable &&
      this.#collectDetailAndGetValueIfRoom(tryCreateVariableReplacement(variable, field, this.#filler), name)
    );
  }

  /** Returns undefined for a text for which there is no room any more. */
  #collectDetailAndGetValueIfRoom(replacement: Replacement | undefined, name: string): Blank | string | undefined {
    if (replacement?.detail) this.details.set(name, replacement.detail);
    if (replacement?.lost !== undefined) this.lost.add(replacement.lost);
    const value = replacement?.value;
    return typeof value !== 'string' || this.#filler.countInsertedCharactersAndIsWithinLimit(value) ? value : undefined;
  }

  /** Adds the values of a variable that the match does not insert: no placeholder has them. */
  #addValueAsDetailIfNonBlank(name: string, replacement: Replacement | undefined): void {
    const { value = '' } = replacement ?? {};
    const text = typeof value === 'string' ? value : value.choices.join('\n');
    if (text.trim() !== '') this.details.set(name, { text, isCommand: false });
  }
}

function tryCreateVariableReplacement(
  variable: EspansoVariable,
  field: string | undefined,
  filler: EspansoMatchFiller,
): Replacement | undefined {
  if (variable.type !== 'match') return toVariableReplacement(variable, field);
  const text = filler.tryFillAndCacheTextOfTrigger(toTextOrEmpty(variable.params['trigger']));
  return text === undefined ? undefined : { value: text };
}
