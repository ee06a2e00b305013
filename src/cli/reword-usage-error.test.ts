import { expect, test } from 'bun:test';
import { Command } from 'commander';
import { rewordUsageErrorText } from './reword-usage-error.ts';

/** The error that commander prints for these words, reworded. */
function refused(...words: string[]): string {
  return formatUsageError({}, ...words);
}

function formatUsageError(env: Record<string, string>, ...words: string[]): string {
  let printed = '';
  const program = new Command('notes').exitOverride().configureOutput({ outputError: (text) => (printed += text) });
  program.command('archive <ids...>');
  program.command('serve').allowExcessArguments(false);
  program.command('add').option('--title <title>').option('--message <text>');
  expect(() => program.parse(words, { from: 'user' })).toThrow();
  return rewordUsageErrorText(printed, env);
}

test.each([
  ['rm', "notes: Unknown command 'rm'\n(Did you mean archive? Notes are archived, not deleted)\n"],
  ['search', "notes: Unknown command 'search'\n(Did you mean list?)\n"],
  ['new', "notes: Unknown command 'new'\n(Did you mean add?)\n"],
  ['ad', "notes: Unknown command 'ad'\n(Did you mean add?)\n"],
  ['archive', "notes: Missing required argument 'ids'\n"],
])('for %p, the sentence is ours, and has a suggestion if there is one', (word, error) => {
  expect(refused(word)).toBe(error);
});

test.each(['--content', '--text', '--body=x'])('for the option %s it says how a text is given', (option) => {
  expect(refused('add', option)).toEndWith('(Give a text with -m, -f or on standard input)\n');
});

test.each([
  ['--db', 'notes list --db notes.db'],
  ['--url', 'notes list --url http://127.0.0.1:3000'],
])('for the option %s before the command it says where that stands', (option, example) => {
  expect(refused(option, 'x', 'add')).toBe(
    `notes: Unknown option '${option}'\n(Options follow the command: ${example})\n`,
  );
});

test('for an argument of serve it says how npm passes options on, if npm started it', () => {
  const sentence = "notes: Too many arguments for 'serve'. Expected 0 arguments but got 1.\n";
  expect(refused('serve', '4000')).toBe(sentence);
  expect(formatUsageError({ npm_lifecycle_event: 'start' }, 'serve', '4000')).toBe(
    `${sentence}(With npm: npm start -- --port 4000)\n`,
  );
});

test('for another option it does not', () => {
  expect(refused('add', '--contents')).toBe("notes: Unknown option '--contents'\n");
});
