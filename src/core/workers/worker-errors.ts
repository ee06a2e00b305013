/** Errors that cross from a worker to the thread that asked: structured clone alone loses their classes and fields. */
import { NoteError, type NoteErrorOptions } from '../error.ts';

/** How errors of one class cross. Client and worker must have the same codecs. */
export interface ErrorCodec {
  /** Names the class in messages. Not taken from the class, as bundlers rename classes. */
  readonly className: string;
  /** Returns what `decode` needs besides the message; undefined for an error of another class. */
  encode(error: Error): unknown;
  decode(message: string, fields: unknown): Error;
}

/** Creates the codec of one class. `decode` gets what `encode` returned on the other thread. */
export function createErrorCodec<Failure extends Error, Fields extends object>(
  className: string,
  errorClass: abstract new (...args: never[]) => Failure,
  { encode, decode }: { encode(error: Failure): Fields; decode(message: string, fields: Fields): Failure },
): ErrorCodec {
  return {
    className,
    encode: (error) => (error instanceof errorClass ? encode(error) : undefined),
    decode: (message, fields) => decode(message, fields as Fields),
  };
}

const builtInCodecs = Object.entries({ SyntaxError, RangeError, TypeError }).map(([className, errorClass]) =>
  createErrorCodec<Error, object>(className, errorClass, {
    encode: () => ({}),
    decode: (message) => new errorClass(message),
  }),
);

const noteErrorCodec = createErrorCodec('NoteError', NoteError, {
  encode: ({ code, outcome, retry }) => ({ code, outcome, retry }),
  decode: (message, { code, ...options }: Pick<NoteError, 'code'> & NoteErrorOptions) =>
    new NoteError(code, message, options),
});

const usualCodecs: readonly ErrorCodec[] = [noteErrorCodec, ...builtInCodecs];

/** An error as a message. */
export interface EncodedError {
  readonly className: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: unknown;
  readonly cause: EncodedError | undefined;
}

/** Causes of causes beyond so many levels are dropped: they could be endless. */
const maxCauses = 4;

/** Encodes a thrown value. One of a class without a codec becomes an `Error` with the same message and stack. */
export function encodeError(thrown: unknown, codecs: readonly ErrorCodec[], causes = maxCauses): EncodedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const cause = error.cause instanceof Error && causes > 0 ? encodeError(error.cause, codecs, causes - 1) : undefined;
  const common = { message: error.message, stack: error.stack, cause };
  for (const { className, encode } of [...codecs, ...usualCodecs]) {
    const fields = encode(error);
    if (fields !== undefined) return { ...common, className, fields };
  }
  return { ...common, className: 'Error', fields: undefined };
}

/** Decodes to an error of the class that was thrown. */
export function decodeError(encoded: EncodedError, codecs: readonly ErrorCodec[]): Error {
  const { className, message, stack, fields, cause } = encoded;
  const codec = [...codecs, ...usualCodecs].find((candidate) => candidate.className === className);
  const error = codec === undefined ? new Error(message) : codec.decode(message, fields);
  if (stack !== undefined) error.stack = stack;
  if (cause !== undefined) error.cause = decodeError(cause, codecs);
  return error;
}
