import type { Environment } from '../../../config.ts';

/** The program to start. Its words contain no line breaks. */
export interface Program {
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Home folder of the user. */
  readonly home: string;
}

export type Words = readonly string[];

/** A service manager for programs of one user. Its commands exit with 0 on success. */
export interface Manager {
  readonly name: string;
  /** Returns the path of the service file. */
  fileIn(env: Environment): string;
  textOf(program: Program): string;
  /** Fails if the manager is not running. Changes nothing. */
  readonly probe: Words;
  start(file: string): readonly Words[];
  readonly stop: readonly Words[];
  /** Run after the file was removed. */
  readonly afterRemoval: readonly Words[];
  /** Succeeds while the service is running. */
  readonly isRunning: Words;
  /** Printed after a start. */
  readonly hints: string;
}

/** Marks files written by this program. */
export const signature = 'Written by "notes service install", which writes it anew.';
