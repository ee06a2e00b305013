/** What the service says while it runs: facts for machines, a sentence for people. pino's loggers are of this shape. */
export interface Log {
  readonly level: string;
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}
