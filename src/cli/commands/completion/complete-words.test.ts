import { expect, test } from 'bun:test';
import { Argument, Command, Option } from 'commander';
import { NoteArgument } from '../../notes/note-argument.ts';
import { completeWords } from './complete-words.ts';

const program = new Command('notes').version('1');
program
  .command('show')
  .addArgument(new NoteArgument('[words...]'))
  .alias('view')
  .summary('show a note')
  .addOption(new Option('-c, --category <categories>', 'only these. And more').choices(['css', 'prompts', 'notes']))
  .option('--file <file>')
  .option('--set <name=value>')
  .option('--raw');
program.command('secret', { hidden: true });
program.command('import <source>');
program.command('widget').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));
program.command('help [command]');

const notes = [
  { id: 12, title: 'Undo the last commit' },
  { id: 2, title: 'undo a push' },
  { id: 1, title: 'two\nlines' },
];

const complete = async (...words: string[]) => {
  const { kind, choices } = await completeWords(program, words, async () => notes);
  return [kind, ...choices.map(([value]) => value)];
};

test.each([
  ['s', 'words show'],
  ['show --r', 'words --raw'],
  ['show -c pro', 'words prompts'],
  ['show --category=pro', 'words --category=prompts'],
  ['show -c css,n', 'words css,notes'],
  ['show --file x', 'files'],
  ['import ', 'files'],
  ['widget ', 'words bash zsh'],
  ['help w', 'words widget'],
])('%j is completed by %j', async (typed, expected) => {
  expect(await complete(...typed.split(' '))).toEqual(expected.split(' '));
});

test.each([
  ['', 'ids|12|2|1'],
  ['1', 'ids|12|1'],
  ['un', 'words|Undo the last commit|undo a push'],
  ['undo|t', 'words|the last commit'],
  ['undo|-c|css|the last|co', 'words|commit'],
])('of a note, %j is completed by an id, or by the rest of its title: %j', async (typed, expected) => {
  expect(await complete('view', ...typed.split('|'))).toEqual(expected.split('|'));
});

test('commands and options come with their first sentence, ids with their titles in one line', async () => {
  const of = async (...words: string[]) => (await completeWords(program, words, async () => notes)).choices;

  expect(await of('show')).toEqual([['show', 'show a note']]);
  expect(await of('show', '--cat')).toEqual([['--category', 'only these']]);
  expect((await of('show', '')).at(-1)).toEqual(['1', 'two lines']);
});
