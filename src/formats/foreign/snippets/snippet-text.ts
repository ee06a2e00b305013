/** This module writes the body of a VS Code snippet with placeholders in place of tab stops and variables. */
import { type Blank, tryFormatPlaceholder } from './placeholder-text.ts';
import { isTabStop, parseSnippetBody, type Slot, type SnippetNode } from './snippet-syntax.ts';

interface SnippetText {
  readonly text: string;
  /** Whether VS Code would change a value before it inserts it, which no placeholder does. */
  readonly isTransformed: boolean;
}

/**
 * Replaces tab stops and variables by placeholders:
 *
 * | in the body | in the note |
 * |---|---|
 * | `$1`, `${1}` | `{{1}}`, or as the same stop elsewhere |
 * | `${1:name}` | `{{name}}` |
 * | `${1:10}`, `${1:./src}` | `{{1=10}}`, `{{1=./src}}` |
 * | `${1|one,two|}` | `{{1=one|two}}` |
 * | `${1:outer ${2:inner}}` | `outer {{inner}}` |
 * | `$CLIPBOARD`, `$TM_FILENAME`, `$any` | `{{clipboard}}`, `{{filename}}`, `{{any}}` |
 * | `$CURRENT_YEAR-$CURRENT_MONTH-$CURRENT_DATE` | `{{date}}` |
 * | `${TM_FILENAME/(.*)/x/}` | `{{filename}}` |
 * | `$0`, the last position of the cursor | nothing |
 * | `\$` | `$` |
 */
export function convertSnippetBody(body: string): SnippetText {
  const nodes = parseSnippetBody(body.replaceAll(isoDate, '$${date}'));
  return new PlaceholderFormatter(nodes).format();
}

const isoDate =
  /(?<!\\)\$(?:CURRENT_YEAR|\{CURRENT_YEAR\})-\$(?:CURRENT_MONTH|\{CURRENT_MONTH\})-\$(?:CURRENT_DATE(?!\w)|\{CURRENT_DATE\})/g;

/** Names for variables that are a part of the date: by their own, `CURRENT_DATE` would be the placeholder of today. */
const dateVariables: Readonly<Record<string, string>> = {
  CURRENT_DATE: 'day',
  CURRENT_YEAR: 'year',
  CURRENT_MONTH: 'month',
};

/** `TM_FILENAME_BASE` is "filename base". A name that the user made up is itself, or `end_` for one of Go's words. */
function toPlaceholderNameOfVariable(variable: string): string {
  const words = variable.replace(/^TM_/, '').toLowerCase().replaceAll('_', ' ');
  const name = dateVariables[variable] ?? (/^[A-Z][A-Z_]+$/.test(variable) ? words : variable);
  return tryFormatPlaceholder({ name, choices: [] }) === undefined ? `${variable}_` : name;
}

/** Defaults with more characters are no names. */
const maxNameLength = 40;
/** Values that stand in snippets as they are. */
const literalValue = /^(?:true|false|null|nil|none|undefined|void|pass|this|self)$/i;
/** The limit of repeated characters: stops that repeat others many times could fill the memory. */
const maxRepeated = 2 ** 20;

const hasValueOrChoices = ({ value, choices }: Slot): boolean => (choices ?? value ?? []).length > 0;

class PlaceholderFormatter {
  readonly #nodes: readonly SnippetNode[];
  /** The first slot of a name that has a default or choices. */
  readonly #definitions = new Map<string, Slot>();
  /** The blank or text that is written for a slot. It is undefined while it is being found out, so that circles end. */
  readonly #texts = new Map<Slot, Blank | string | undefined>();
  readonly #namesInUse = new Set<string>();
  readonly #shown = new Set<string>();
  #repeated = 0;
  #isTransformed = false;

  constructor(nodes: readonly SnippetNode[]) {
    this.#nodes = nodes;
    this.#collectDefinitionsAndTransforms(nodes);
  }

  format(): SnippetText {
    return { text: this.#formatNodes(this.#nodes), isTransformed: this.#isTransformed };
  }

  #collectDefinitionsAndTransforms(nodes: readonly SnippetNode[]): void {
    for (const node of nodes) {
      if (typeof node === 'string') continue;
      if (node.isTransformed) this.#isTransformed = true;
      if (hasValueOrChoices(node) && !this.#definitions.has(node.name)) this.#definitions.set(node.name, node);
      this.#collectDefinitionsAndTransforms(node.value ?? []);
    }
  }

  #formatNodes(nodes: readonly SnippetNode[]): string {
    return nodes.map((node) => (typeof node === 'string' ? node : this.#formatSlot(node))).join('');
  }

  #formatSlot(slot: Slot): string {
    const meant = this.#getOrRegisterDefiningSlot(slot);
    if (!this.#texts.has(meant)) {
      this.#texts.set(meant, undefined);
      this.#texts.set(meant, this.#createUniqueBlankOrText(meant));
    }
    const found = this.#texts.get(meant);
    if (found === undefined) return '';
    if (typeof found !== 'string') return this.#formatBlankWithChoicesOnce(found);
    this.#repeated += found.length;
    return this.#repeated <= maxRepeated ? found : this.#formatBlankWithChoicesOnce({ name: slot.name, choices: [] });
  }

  /**
   * Returns the first slot with this name that has a value, or the slot itself if it has another value, or if none has
   * one.
   */
  #getOrRegisterDefiningSlot(slot: Slot): Slot {
    const first = this.#definitions.get(slot.name) ?? slot;
    this.#definitions.set(slot.name, first);
    return hasValueOrChoices(slot) &&
      JSON.stringify([slot.value, slot.choices]) !== JSON.stringify([first.value, first.choices])
      ? slot
      : first;
  }

  #formatBlankWithChoicesOnce(blank: Blank): string {
    const isShown = this.#shown.has(blank.name);
    this.#shown.add(blank.name);
    return tryFormatPlaceholder(isShown ? { ...blank, choices: [] } : blank) ?? '';
  }

  #createUniqueBlankOrText(slot: Slot): Blank | string {
    if (slot.choices) return this.#createUniqueChoiceBlankOrText(slot.name, slot.choices);
    const value = slot.value ?? [];
    if (value.some((node) => typeof node !== 'string')) return this.#formatNodes(value);
    const preset = value.join('');
    if (isTabStop(slot)) return this.#createUniqueStopBlankOrText(slot.name, preset);
    const name = this.#reserveUniqueName(toPlaceholderNameOfVariable(slot.name));
    return getFormattableBlankOrText({ name, choices: preset === '' ? [] : [preset] }, preset);
  }

  #createUniqueStopBlankOrText(number: string, preset: string): Blank | string {
    if (preset === '') return number === '0' ? '' : { name: this.#reserveUniqueName(number), choices: [] };
    const isName = /^\p{L}/u.test(preset) && preset.length <= maxNameLength && !literalValue.test(preset);
    if (isName && tryFormatPlaceholder({ name: preset, choices: [] }) !== undefined)
      return { name: this.#reserveUniqueName(preset), choices: [] };
    return getFormattableBlankOrText({ name: this.#reserveUniqueName(number), choices: [preset] }, preset);
  }

  /** Removes the spaces around choices, which a placeholder would not hold. */
  #createUniqueChoiceBlankOrText(number: string, choices: readonly string[]): Blank | string {
    const trimmed = [...new Set(choices.map((choice) => choice.trim()))];
    return getFormattableBlankOrText({ name: this.#reserveUniqueName(number), choices: trimmed }, trimmed.join(' | '));
  }

  /** Reserves a name. Another slot may have the same default: then a number tells the two apart, as in "name 2". */
  #reserveUniqueName(name: string): string {
    let unique = name;
    for (let number = 2; this.#namesInUse.has(unique); number++) unique = `${name} ${number}`;
    this.#namesInUse.add(unique);
    return unique;
  }
}

/** Returns the text itself if no placeholder can hold the blank. */
const getFormattableBlankOrText = (blank: Blank, text: string): Blank | string =>
  tryFormatPlaceholder(blank) === undefined ? text : blank;
