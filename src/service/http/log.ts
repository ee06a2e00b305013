/** The log: facts for machines, a sentence for people. Implemented by pino. */
export interface Log {
  readonly level: string;
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}
