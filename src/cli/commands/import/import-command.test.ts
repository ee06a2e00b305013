import { expect, test } from 'bun:test';
import { Command } from 'commander';
import { keptIo } from '../../../../test/support/terminal/kept-io.ts';
import { formats } from '../../../formats/formats.ts';
import { defineImportCommand } from './import-command.ts';

test('--format takes the names of all formats', () => {
  const program = new Command('notes');
  defineImportCommand(program, keptIo(), () => async () => {});

  const format = program.commands[0]?.options.find(({ long }) => long === '--format');

  expect(format?.argChoices?.toSorted()).toEqual(formats.map(({ name }) => name).sort());
});
