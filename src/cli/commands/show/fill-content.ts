import { invalid, NoteError } from '../../../core/error.ts';
import * as message from '../../../core/message.ts';
import {
  addKnownDefaults,
  fillPlaceholders,
  type Placeholder,
  placeholdersIn,
  valueFor,
} from '../../../core/placeholders.ts';
import { type Io, isInteractive } from '../../io.ts';

interface Filling {
  /** Values given by flags. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Whether the text is about to be used: others are asked for if possible, or get their defaults. */
  readonly asks: boolean;
  /** Whether placeholders may stay without a value, since somebody sees the text before it is used. */
  readonly takesBlanks: boolean;
}

const formatPlaceholders = (placeholders: readonly Placeholder[]) =>
  placeholders.map(({ name }) => `{{${name}}}`).join(', ');

/**
 * Replaces placeholders by values; those without a value or default stay, and are reported. Throws `unavailable` if
 * they must not, and `invalid` for an unknown name or a value that is not among the choices.
 */
export async function fillContent(text: string, { given, asks, takesBlanks }: Filling, io: Io): Promise<string> {
  const placeholders = addKnownDefaults(placeholdersIn(text), new Date());
  for (const [name, value] of given ?? []) assertPlaceholderValue(name, value, placeholders);
  if (given === undefined && !asks) return text;
  const canAsk = asks && isInteractive(io);
  const values = new Map(given);
  for (const placeholder of placeholders) {
    if (values.has(placeholder.name)) continue;
    const value = valueFor(placeholder, canAsk ? await promptForValue(placeholder, io) : undefined);
    if (value !== undefined) values.set(placeholder.name, value);
  }
  const blanks = placeholders.filter(({ name }) => !values.has(name));
  if (blanks.length > 0 && !takesBlanks) throw new NoteError('unavailable', formatMissingValues(blanks));
  if (blanks.length > 0) io.stderr.write(`Left blank: ${formatPlaceholders(blanks)}\n`);
  return fillPlaceholders(text, values);
}

function formatMissingValues(blanks: readonly Placeholder[]): string {
  const flags = blanks.map(({ name }) => `--set ${name.includes(' ') ? `'${name}=…'` : `${name}=…`}`).join(' ');
  const [have, them] = blanks.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return `${formatPlaceholders(blanks)} ${have} no value. Give ${them} by ${flags}, or use --raw for the text as written`;
}

async function promptForValue(placeholder: Placeholder, io: Io): Promise<string> {
  const { promptForPlaceholderValue } = await import('../../terminal/prompt.ts');
  return await promptForPlaceholderValue(placeholder, io);
}

function assertPlaceholderValue(name: string, value: string, placeholders: readonly Placeholder[]): void {
  const placeholder = placeholders.find((known) => known.name === name);
  if (placeholder === undefined) {
    const known = placeholders.length > 0 ? `It has ${formatPlaceholders(placeholders)}` : 'It has no placeholders';
    throw invalid(`The note has no {{${name}}}. ${known}`);
  }
  const { choices } = placeholder;
  if (choices?.includes(value) === false) throw invalid(message.notOneOf(name, choices));
}
