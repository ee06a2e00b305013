import { expect, test } from 'bun:test';
import { Command } from 'commander';
import { keptIo } from '../../../../test/support/terminal/kept-io.ts';
import { formats } from '../../../formats/formats.ts';
import { addFormatChoices, defineImportCommand } from './import-command.ts';

test('--format allows the names of all formats, and no other', async () => {
  const program = new Command('notes');
  defineImportCommand(program, keptIo(), () => async () => {});

  await addFormatChoices(program);

  const format = program.commands[0]?.options.find(({ long }) => long === '--format');
  expect(format?.argChoices).toEqual(formats.map(({ name }) => name));
});
