/** Thrown when the user presses Ctrl+C, Ctrl+D or Esc, or a signal arrives. Without a message, nothing is printed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(message = '', options: ErrorOptions & { readonly signal?: Interrupted['signal'] } = {}) {
    super(message, options);
    this.signal = options.signal ?? 'SIGINT';
  }
}
