import { NoteError } from '../../src/core/error.ts';

/** Code and sentence of the error that a promise is rejected with. */
export const catchCodeAndMessage = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => (error instanceof NoteError ? [error.code, error.message] : error),
  );
