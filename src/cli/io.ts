import type { Command } from 'commander';
import type { Environment } from '../config.ts';
import type { Stop } from '../server/shutdown.ts';
import type { ExitCode } from './exit-code.ts';

/** What a command writes to. */
export interface Output {
  /** Whether a person looks at it. */
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string | Uint8Array): boolean;
  /** Calls back when the terminal has another size. */
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
  /** Calls back when it takes more, after `write` returned false. */
  once?(event: 'drain', listener: () => void): unknown;
}

/** What a command reads from. */
export type Input = NodeJS.ReadStream;

/** What the commands need from the process that they run in: data goes to `stdout`, talk to `stderr`. */
export interface Io {
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Resolved when the process is told to stop. A command that asks for it ends by itself then; a command that never asks is
   * ended at once.
   */
  readonly stopping: () => PromiseWithResolvers<Stop>;
  /** From now on, a closed output does not end the command: it does more than print. */
  readonly ignoreClosedOutput: () => void;
}

/** Writes no faster than it is read. */
export async function writeAll(output: Output, text: string): Promise<void> {
  if (output.write(text) || output.once === undefined) return;
  const drained = Promise.withResolvers<void>();
  output.once('drain', drained.resolve);
  await drained.promise;
}

/** Makes an action for commander, which asks for no result, of one that returns the exit code. Errors are thrown instead. */
export type Run = <Args extends unknown[]>(
  action: (...args: Args) => Promise<ExitCode>,
) => (...args: Args) => Promise<void>;

/** Adds a command to the program: its name, help and options, and what it does. */
export type AddCommand = (program: Command, io: Io, run: Run) => void;

/** Whether a person can be asked. */
export const isInteractive = ({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;
