/** A worker for the tests of `WorkerClient`. */
import { createInvalidError, NoteError } from '../../../src/core/error.ts';
import { MovedResult, serveWorkerMethods } from '../../../src/core/workers/serve-worker.ts';
import { SampleError, sampleCodec } from './sample-error.ts';

declare const self: Worker;

const failures = {
  note: () =>
    new NoteError('busy', 'Too busy', { outcome: 'unknown', retry: false, cause: createInvalidError('The cause') }),
  syntax: () => new SyntaxError('Not JSON'),
  sample: () => new SampleError('A sample', 7),
  other: () => new EvalError('Of no codec'),
  text: () => 'A text',
};

let calls = 0;

const methods = {
  add: (one: number, other: number) => one + other,
  countCalls: () => ++calls,
  wait: async (ms: number) => {
    await Bun.sleep(ms);
    return ms;
  },
  fill: (bytes: Uint8Array<ArrayBuffer>) => new MovedResult(bytes.fill(1), [bytes.buffer]),
  fail: (kind: keyof typeof failures) => {
    throw failures[kind]();
  },
  returnFunction: () => () => {},
  /** Blocks the thread, so that only its end stops it. */
  loop: (): void => {
    for (;;);
  },
  exit: (): void => process.exit(1),
  /** Throws outside of any request. */
  throwLater: (): void => void setTimeout(() => Promise.reject(new Error('Thrown later'))),
};

export type SampleMethods = typeof methods;

serveWorkerMethods(self, methods, [sampleCodec]);
