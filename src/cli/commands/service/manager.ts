import type { Environment } from '../../../config.ts';

/** What a service manager is to start: words without line breaks. */
export interface Program {
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Of the user. */
  readonly home: string;
}

/** A command, word by word. */
export type Words = readonly string[];

/** How a system starts programs of one user. Its commands end with 0 when they succeed. */
export interface Manager {
  readonly name: string;
  /** The path of the file that describes the service. */
  fileIn(env: Environment): string;
  textOf(program: Program): string;
  /** Fails where the manager does not run; changes nothing. */
  readonly probe: Words;
  start(file: string): readonly Words[];
  readonly stop: readonly Words[];
  /** After the file was removed. */
  readonly forget: readonly Words[];
  /** Succeeds while the service runs. */
  readonly isRunning: Words;
  /** What a person may want to know once it runs. */
  readonly hints: string;
}

/** Stands in a file that this program has written. */
export const signature = 'Written by "notes service install", which writes it anew.';
