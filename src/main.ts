#!/usr/bin/env bun
import { CommanderError } from 'commander';
import { createProgram } from './cli/program.ts';
import type { Stop } from './cli/serve.ts';
import { ConfigError } from './config.ts';

/** 0 done, 1 failed, 2 used wrongly. */
type ExitCode = 0 | 1 | 2;

const stopping = Promise.withResolvers<Stop>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.resolve({ reason: signal }));
process.on('unhandledRejection', (failure) => stopping.resolve({ reason: 'unexpected error', failure }));
process.on('uncaughtException', (failure) => stopping.resolve({ reason: 'unexpected error', failure }));

let exitCode = 0;
try {
  const io = { env: process.env, isTerminal: process.stdout.isTTY === true, stopping };
  await createProgram(io, (code) => {
    exitCode = code;
  }).parseAsync();
} catch (error) {
  exitCode = explain(error);
}
process.exit(exitCode);

/** Tells a person what went wrong; commander has done so already for its own errors. */
function explain(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  console.error(`notes: ${error instanceof Error ? error.message : error}`);
  return error instanceof ConfigError ? 2 : 1;
}
