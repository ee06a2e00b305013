import type { Command, Option } from 'commander';
import { NoteError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { type LabelledField, type LabelStore, resolveLabel } from '../../core/value-labels.ts';
import type { Io } from '../io.ts';
import { createLabelReaderOpeningStore } from './open-note-store.ts';

/** Replaces labels by values of the field in the value of an option. Throws `invalid` for a text that is neither. */
export async function resolveLabelsToValuesAndSetOption(
  command: Command,
  option: Option,
  field: LabelledField,
  io: Io,
): Promise<void> {
  const name = option.attributeName();
  const value: unknown = command.getOptionValue(name);
  const labels = createLabelReaderOpeningStore(io, command.opts());
  try {
    const resolved = Array.isArray(value)
      ? await resolveListsOfLabels(field, value, labels)
      : await resolveLabel(field, String(value), labels);
    command.setOptionValue(name, resolved);
  } catch (error) {
    throw error instanceof NoteError ? error.withMessage(`Option '${option.flags}': ${error.message}`) : error;
  }
}

/** Finds the values that texts name, each one or several separated by commas. A label may contain a comma. */
async function resolveListsOfLabels<Field extends LabelledField>(
  field: Field,
  texts: readonly string[],
  store: Pick<LabelStore, 'labels'>,
): Promise<readonly Note[Field][]> {
  const found: Note[Field][] = [];
  for (const text of texts) {
    const value = await resolveLabel(field, text, store).catch((error) => {
      if (text.includes(',')) return undefined;
      throw error;
    });
    if (value !== undefined) found.push(value);
    else for (const name of text.split(',')) found.push(await resolveLabel(field, name.trim(), store));
  }
  return found;
}
