import { expect, test } from 'bun:test';
import { Argument, Command, Option } from 'commander';
import { wordsOf } from './words.ts';

const program = new Command('notes');
program
  .command('list [words...]')
  .alias('ls')
  .summary('list notes')
  .description('list notes, or those with all these words')
  .addOption(new Option('-c, --category <category>', 'only of this category. As in the page').choices(['css', 'notes']))
  .option('-n, --limit <number>', 'show at most this many')
  .option('--db <store>', 'use this store: a file; or an address')
  .option('--json', 'as a JSON array')
  .addOption(new Option('--old <url>').hideHelp());
program.command('show [words...]');
program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));
program.command('restore').argument('<backup>');
program.command('help [command]');

const words = wordsOf(program);

test('each visible command has its names and its argument', () => {
  expect(words.map(({ names, argument }) => [names, argument])).toEqual([
    [['list', 'ls'], []],
    [['show'], 'notes'],
    [['completion'], ['bash', 'zsh']],
    [['restore'], 'files'],
    [['help'], ['list', 'show', 'completion', 'restore', 'help']],
  ]);
});

test('each visible option has its flags, the first sentence of its help, and what its value may be', () => {
  const [list] = words;

  expect(list?.description).toBe('list notes');
  expect(list?.options).toEqual([
    { flags: ['-c', '--category'], description: 'only of this category', value: ['css', 'notes'] },
    { flags: ['-n', '--limit'], description: 'show at most this many', value: 'text' },
    { flags: ['--db'], description: 'use this store: a file', value: 'file' },
    { flags: ['--json'], description: 'as a JSON array', value: 'none' },
    { flags: ['-h', '--help'], description: 'display help for command', value: 'none' },
  ]);
});
