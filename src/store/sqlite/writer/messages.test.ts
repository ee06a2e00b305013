import { expect, test } from 'bun:test';
import { NoteError } from '../../../domain/error.ts';
import { unexpected } from '../../../domain/message.ts';
import { UncertainState } from '../failure.ts';
import { receivedError, sentError } from './messages.ts';

const overThreads = (error: unknown) => receivedError(structuredClone(sentError(error, 'write')));

test('an error arrives as it was sent, with the code of its cause', () => {
  const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const sent = new NoteError('unavailable', 'The disk is full', { outcome: 'none', retry: true, cause });

  const received = overThreads(sent);

  expect(received).toBeInstanceOf(NoteError);
  expect(received).toMatchObject({ message: sent.message, code: 'unavailable', outcome: 'none', retry: true });
  expect(received.cause).toMatchObject({ message: cause.message, code: 'SQLITE_FULL' });
});

test('the message of a mistake of ours is not shown, but kept as the cause', () => {
  expect(overThreads(new TypeError('x is undefined'))).toMatchObject({
    ...{ code: 'internal', message: unexpected, outcome: 'unknown' },
    cause: { message: 'x is undefined' },
  });
});

test('whether the store is lost is sent too', () => {
  const errors = [new UncertainState('replaced'), new NoteError('busy', 'later'), new Error('a mistake')];

  expect(errors.map((error) => sentError(error, 'read').isLost)).toEqual([true, false, false]);
});
