import { invalid } from '../../../domain/error.ts';
import * as message from '../../../domain/message.ts';
import { fillPlaceholders, type Placeholder, placeholdersIn, valueFor } from '../../../domain/placeholders.ts';
import { type Io, isInteractive } from '../../io.ts';
import { printable } from '../../terminal/style.ts';

interface Filling {
  /** Values given by flags. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Whether to ask for other values, if possible. */
  readonly asks: boolean;
  /** Whether the text is not visible, so that blanks are reported on stderr even if nothing is filled in. */
  readonly isCopied: boolean;
}

const written = (placeholders: readonly Placeholder[]) => placeholders.map(({ name }) => `{{${name}}}`).join(', ');

/**
 * Replaces placeholders by values; those without a value or default stay. Changes nothing if no value is given and the
 * user cannot be asked. Throws `invalid` for an unknown name or a value that is not among the choices.
 */
export async function filled(text: string, { given, asks, isCopied }: Filling, io: Io): Promise<string> {
  const placeholders = placeholdersIn(text);
  for (const [name, value] of given ?? []) check(name, value, placeholders);
  const canAsk = asks && isInteractive(io);
  const isFilled = given !== undefined || canAsk;
  const values = new Map(given);
  for (const placeholder of isFilled ? placeholders : []) {
    if (values.has(placeholder.name)) continue;
    const value = valueFor(placeholder, canAsk ? await askFor(placeholder, io) : undefined);
    if (value !== undefined) values.set(placeholder.name, value);
  }
  const blanks = placeholders.filter(({ name }) => !values.has(name));
  if ((isFilled || isCopied) && blanks.length > 0) io.stderr.write(`Left blank: ${printable(written(blanks))}\n`);
  return fillPlaceholders(text, values);
}

async function askFor(placeholder: Placeholder, io: Io): Promise<string> {
  const { askValue } = await import('../../terminal/ask.ts');
  return await askValue(placeholder, io);
}

function check(name: string, value: string, placeholders: readonly Placeholder[]): void {
  const placeholder = placeholders.find((known) => known.name === name);
  if (placeholder === undefined) {
    const known = placeholders.length > 0 ? `It has ${written(placeholders)}` : 'It has no placeholders';
    throw invalid(`The note has no {{${name}}}. ${known}`);
  }
  const { choices } = placeholder;
  if (choices?.includes(value) === false) throw invalid(message.notOneOf(name, choices));
}
