import { expect, test } from 'bun:test';
import { Command } from 'commander';
import { createRecordedIo } from '../../../../test/support/terminal/recorded-io.ts';
import { formats } from '../../../formats/formats.ts';
import { loadFormatsAndAddChoicesToImport, registerImportCommand } from './import-command.ts';

test('--format allows the names of all formats, and no other', async () => {
  const program = new Command('notes');
  registerImportCommand(program, createRecordedIo(), () => async () => {});

  await loadFormatsAndAddChoicesToImport(program);

  const format = program.commands[0]?.options.find(({ long }) => long === '--format');
  expect(format?.argChoices).toEqual(formats.map(({ name }) => name));
});
