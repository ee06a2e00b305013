import type { Command } from 'commander';
import type { Environment } from '../config/settings-table.ts';
import type { StopRequest } from '../service/shutdown.ts';
import type { ExitCode } from './exit-code.ts';

export interface Output {
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string | Uint8Array): boolean;
  /** Calls back when the terminal is resized. */
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
  /** Calls back when it accepts data again, after `write` returned false. */
  once?(event: 'drain', listener: () => void): unknown;
}

export type Input = NodeJS.ReadStream;

/** What commands need from their process. Data goes to `stdout`, messages to `stderr`. */
export interface Io {
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Resolves when a signal asks the process to stop. A command that calls this has to end itself; any other command is
   * ended at once.
   */
  readonly handleSignals: () => PromiseWithResolvers<StopRequest>;
  /** Calls back at each SIGHUP, which ends a command that does not call this. */
  readonly handleHangUps: (listener: () => void) => void;
  /** Resolves at the second signal to stop. */
  readonly stoppedAgain: Promise<void>;
  /** From now on a closed output does not end the command. For commands that do more than print. */
  readonly ignoreClosedOutput: () => void;
}

/** Writes a text and waits for backpressure to clear. */
export async function writeWithBackpressure(output: Output, text: string): Promise<void> {
  if (output.write(text) || output.once === undefined) return;
  const drained = Promise.withResolvers<void>();
  output.once('drain', drained.resolve);
  await drained.promise;
}

/** Wraps an action that may return its exit code for commander, which expects no result. Errors are thrown. */
export type WrapAction = <Args extends unknown[]>(
  action: (...args: Args) => Promise<ExitCode | undefined>,
) => (...args: Args) => Promise<void>;

/** Adds a command to `program`: its name, help, options and action. */
export type RegisterCommand = (program: Command, io: Io, run: WrapAction) => void;

/** Whether the user can be prompted. */
export const canPrompt = ({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;
