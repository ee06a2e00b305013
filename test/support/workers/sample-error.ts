import { createErrorCodec } from '../../../src/core/workers/worker-errors.ts';

/** An error with a field of its own, which only its codec knows. */
export class SampleError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

export const sampleCodec = createErrorCodec('SampleError', SampleError, {
  encode: ({ line }) => ({ line }),
  decode: (message, { line }) => new SampleError(message, line),
});
