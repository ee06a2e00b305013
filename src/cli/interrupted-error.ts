/** Thrown when the user presses Ctrl+C, Ctrl+D or Esc, or a signal arrives. Without a message, nothing is printed. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(message = '', options: ErrorOptions & { readonly signal?: InterruptedError['signal'] } = {}) {
    super(message, options);
    this.signal = options.signal ?? 'SIGINT';
  }
}
