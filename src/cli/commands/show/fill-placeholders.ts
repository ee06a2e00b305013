import { createInvalidError, NoteError } from '../../../core/error.ts';
import * as message from '../../../core/error-messages.ts';
import {
  copyWithDateDefault,
  fillPlaceholders,
  getValueOrDefault,
  listDistinctPlaceholders,
  type Placeholder,
} from '../../../core/placeholders.ts';
import { canPrompt, type Io } from '../../io.ts';

interface Filling {
  /** The values of the flags `--set`. */
  readonly setValues?: ReadonlyMap<string, string> | undefined;
  /** Whether the text is about to be used: prompts for the other values if possible, else they get their defaults. */
  readonly prompts: boolean;
  /** Whether placeholders may stay without a value, since somebody sees the text before it is used. */
  readonly allowsBlanks: boolean;
}

const formatPlaceholders = (placeholders: readonly Placeholder[]) =>
  placeholders.map(({ name }) => `{{${name}}}`).join(', ');

/**
 * Replaces placeholders by values, for which it may prompt the user. Those without a value or default stay, and are
 * reported. Throws `unavailable` if they must not, and `invalid` for an unknown name or a value that is not among the
 * choices.
 */
export async function fillPlaceholdersAndReportBlanks(
  text: string,
  { setValues, prompts, allowsBlanks }: Filling,
  io: Io,
): Promise<string> {
  const placeholders = copyWithDateDefault(listDistinctPlaceholders(text), new Date());
  for (const [name, value] of setValues ?? []) assertKnownNameAndChoice(name, value, placeholders);
  if (setValues === undefined && !prompts) return text;
  const canAsk = prompts && canPrompt(io);
  const values = new Map(setValues);
  for (const placeholder of placeholders) {
    if (values.has(placeholder.name)) continue;
    const value = getValueOrDefault(placeholder, canAsk ? await promptForValue(placeholder, io) : undefined);
    if (value !== undefined) values.set(placeholder.name, value);
  }
  const blanks = placeholders.filter(({ name }) => !values.has(name));
  if (blanks.length > 0 && !allowsBlanks) throw new NoteError('unavailable', formatMissingValuesMessage(blanks));
  if (blanks.length > 0) io.stderr.write(`Left blank: ${formatPlaceholders(blanks)}\n`);
  return fillPlaceholders(text, values);
}

function formatMissingValuesMessage(blanks: readonly Placeholder[]): string {
  const flags = blanks.map(({ name }) => `--set ${name.includes(' ') ? `'${name}=…'` : `${name}=…`}`).join(' ');
  const [have, them] = blanks.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return `${formatPlaceholders(blanks)} ${have} no value. Give ${them} by ${flags}, or use --raw for the text as written`;
}

async function promptForValue(placeholder: Placeholder, io: Io): Promise<string> {
  const { promptForPlaceholderValueOrEmpty } = await import('../../terminal/prompt.ts');
  return await promptForPlaceholderValueOrEmpty(placeholder, io);
}

function assertKnownNameAndChoice(name: string, value: string, placeholders: readonly Placeholder[]): void {
  const placeholder = placeholders.find((known) => known.name === name);
  if (placeholder === undefined) {
    const known = placeholders.length > 0 ? `It has ${formatPlaceholders(placeholders)}` : 'It has no placeholders';
    throw createInvalidError(`The note has no {{${name}}}. ${known}`);
  }
  const { choices } = placeholder;
  if (choices?.includes(value) === false) throw createInvalidError(message.notOneOf(name, choices));
}
