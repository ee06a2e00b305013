#!/usr/bin/env bun
import { CommanderError } from 'commander';
import { type ExitCode, exitCodeFor, Interrupted, sentenceOf } from './cli/exit-code.ts';
import type { Io } from './cli/io.ts';
import { runProgram } from './cli/program.ts';
import { printableLines } from './cli/terminal/style.ts';

const { env, stdout, stderr } = process;
/** Bypasses proxies for this machine, in addition to the hosts that the environment exempts. */
env['NO_PROXY'] = [env['NO_PROXY'] || env['no_proxy'], 'localhost', '127.0.0.1', '::1'].filter(Boolean).join();
const stopping: ReturnType<Io['handleSignals']> = Promise.withResolvers();
const stoppedAgain = Promise.withResolvers<void>();
let isStopping = false;
let endsByItself = false;
let ignoresClosedOutput = false;
/** Outputs with a closed reader. */
const unread = new Set<NodeJS.WriteStream>();

const signals = { SIGINT: 130, SIGTERM: 143 } as const;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!endsByItself) process.exit(signals[signal]);
    if (isStopping) stoppedAgain.resolve();
    isStopping = true;
    stopping.resolve({ reason: signal });
  });
}
process.on('unhandledRejection', stop);
process.on('uncaughtException', stop);
for (const output of [stdout, stderr]) output.on('error', (error: NodeJS.ErrnoException) => notWritten(output, error));

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

void run().then(process.exit);

/** Runs the command named by the arguments and waits for its output. A top-level await would start slower. */
async function run(): Promise<ExitCode> {
  const exitCode = await runProgram(io).catch((error) => {
    explain(error);
    return exitCodeFor(error);
  });
  for (const output of [stdout, stderr]) await printed(output); // a failure of the first is reported on the other
  return exitCode;
}

function handleSignals(): typeof stopping {
  endsByItself = true;
  return stopping;
}

function ignoreClosedOutput(): void {
  ignoresClosedOutput = true;
}

/** Resolves when all output has been written; the rest would be lost at exit. */
const printed = (output: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => {
    if (unread.has(output)) return resolve();
    output.once('error', () => resolve());
    output.end(resolve);
  });

/** Prints an error, except those that commander has printed. */
function explain(error: unknown): void {
  if (error instanceof CommanderError || (error instanceof Interrupted && error.message === '')) return;
  stderr.write(`notes: ${printableLines(sentenceOf(error))}\n`); // console.error would add colours
}

function stop(failure: unknown): void {
  if (!endsByItself) {
    explain(failure);
    process.exit(1);
  }
  stopping.resolve({ reason: 'unexpected error', failure });
}

/** A closed pipe ends a command that only prints. */
function notWritten(output: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  unread.add(output);
  if (error.code !== 'EPIPE') stop(new Error(`The output cannot be written: ${error.message}`));
  else if (output === stdout && !ignoresClosedOutput && !endsByItself) process.exit(0);
}
