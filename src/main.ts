#!/usr/bin/env bun
import { CommanderError } from 'commander';
import { formatError } from './cli/error-text.ts';
import { type ExitCode, toExitCode } from './cli/exit-code.ts';
import { InterruptedError } from './cli/interrupted-error.ts';
import type { Io } from './cli/io.ts';
import { runProgramOrThrow } from './cli/program.ts';
import { toPrintableText } from './cli/terminal/printable-text.ts';

const { env, stdout, stderr } = process;
/** Bypasses proxies for this machine, in addition to the hosts that the environment exempts. */
env['NO_PROXY'] = [env['NO_PROXY'] || env['no_proxy'], 'localhost', '127.0.0.1', '::1'].filter(Boolean).join();
/** Settles at the first signal to stop, or at an unexpected error. */
const stopping: ReturnType<Io['handleSignals']> = Promise.withResolvers();
const stoppedAgain = Promise.withResolvers<void>();
let isStopping = false;
/** Whether the command ends itself when a signal asks it to. */
let handlesSignals = false;
let ignoresClosedOutput = false;
/** Outputs with a closed reader. */
const closedOutputs = new Set<NodeJS.WriteStream>();

const signals = { SIGINT: 130, SIGTERM: 143 } as const;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!handlesSignals) process.exit(signals[signal]);
    if (isStopping) stoppedAgain.resolve();
    isStopping = true;
    stopping.resolve({ reason: signal });
  });
}
process.on('unhandledRejection', handleUnexpectedError);
process.on('uncaughtException', handleUnexpectedError);
for (const output of [stdout, stderr])
  output.on('error', (error: NodeJS.ErrnoException) => handleOutputError(output, error));

const io: Io = {
  env,
  get stdin() {
    return process.stdin; // created on first use, as it takes 4 ms
  },
  stdout,
  stderr,
  handleSignals,
  handleHangUps: (listener) => void process.on('SIGHUP', listener),
  stoppedAgain: stoppedAgain.promise,
  ignoreClosedOutput,
};

void runProgramAndPrintError().then(process.exit);

/** Runs the command named by the arguments and waits for its output. A top-level await would start slower. */
async function runProgramAndPrintError(): Promise<ExitCode> {
  const exitCode = await runProgramOrThrow(io).catch((error) => {
    printError(error);
    return toExitCode(error);
  });
  for (const output of [stdout, stderr]) await endAndFlushOutput(output); // a failure of the first is printed on the other
  return exitCode;
}

function handleSignals(): typeof stopping {
  handlesSignals = true;
  return stopping;
}

function ignoreClosedOutput(): void {
  ignoresClosedOutput = true;
}

/** Closes an output. Resolves when everything has been written; the rest would be lost at exit. */
const endAndFlushOutput = (output: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => {
    if (closedOutputs.has(output)) return resolve();
    output.once('error', () => resolve());
    output.end(resolve);
  });

/** Prints an error, except those that commander has printed. */
function printError(error: unknown): void {
  if (error instanceof CommanderError || (error instanceof InterruptedError && error.message === '')) return;
  stderr.write(`notes: ${toPrintableText(formatError(error))}\n`); // console.error would add colours
}

/** Ends a command that handles no signals; any other is asked to stop. */
function handleUnexpectedError(failure: unknown): void {
  if (!handlesSignals) {
    printError(failure);
    process.exit(1);
  }
  stopping.resolve({ reason: 'unexpected error', failure });
}

/** A closed pipe ends a command that only prints. */
function handleOutputError(output: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  closedOutputs.add(output);
  if (error.code !== 'EPIPE') handleUnexpectedError(new Error(`The output cannot be written: ${error.message}`));
  else if (output === stdout && !ignoresClosedOutput && !handlesSignals) process.exit(0);
}
