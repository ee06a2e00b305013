import { expect, test } from 'bun:test';
import { CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { type ErrorCode, NoteError } from '../core/error.ts';
import { formatError } from './error-text.ts';
import { type ExitCode, toExitCode } from './exit-code.ts';
import { InterruptedError } from './interrupted-error.ts';

const codes: readonly (readonly [ErrorCode, ExitCode])[] = [
  ['invalid', 2],
  ['not_found', 3],
  ['conflict', 4],
  ['unreachable', 5],
  ['busy', 1],
  ['unavailable', 1],
  ['internal', 1],
];

test.each(codes)('a note error with the code %s ends a command with %d', (code, exitCode) => {
  expect(toExitCode(new NoteError(code, 'no'))).toBe(exitCode);
});

const others: readonly (readonly [string, Error, ExitCode])[] = [
  ['a wrong setting', new ConfigError('PORT'), 2],
  ['a wrong flag', new CommanderError(1, 'commander.unknownOption', 'unknown option'), 2],
  ['help and version', new CommanderError(0, 'commander.help', 'help'), 0],
  ['Ctrl+C', new InterruptedError(), 130],
  ['a bug', new TypeError('x is undefined'), 1],
];

test.each(others)('%s', (_, error, exitCode) => {
  expect(toExitCode(error)).toBe(exitCode);
});

test('the cause is added where nothing was written and the sentence lacks it', () => {
  const cause = new Error('database or disk is full');
  const refused = (message: string, code: ErrorCode = 'unavailable') =>
    new NoteError(code, message, { cause, outcome: 'none' });

  expect(formatError(refused('Cannot save'))).toBe('Cannot save (database or disk is full)');
  expect(formatError(refused('Cannot save: database or disk is full'))).toBe('Cannot save: database or disk is full');
  expect(formatError(refused('Busy', 'busy'))).toBe('Busy');
  expect(formatError(new NoteError('unavailable', 'Unknown', { cause, outcome: 'unknown' }))).toBe('Unknown');
});

test('an error of the file system names the file and the reason in words', () => {
  const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open', path: '/x' });

  expect(formatError(error)).toBe('Cannot use /x: permission is denied');
});
