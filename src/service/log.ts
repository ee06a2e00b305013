import { type DestinationStream, pino } from 'pino';
import type { Config } from '../config/config.ts';

/** Each line of the log has facts for machines and a sentence for people. Pino implements it. */
export interface Log {
  readonly level: string;
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

/** Creates a log on standard output. It has lines of JSON, or a readable form on a terminal. */
export async function createLog(level: Config['logLevel'], isTerminal: boolean): Promise<Log> {
  const options = {
    level,
    base: null,
    serializers: { err: pino.stdSerializers.err, cause: pino.stdSerializers.err },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const log: Log = pino(options, isTerminal ? await createTerminalStdout() : createJsonStdout());
  return log;
}

function createJsonStdout(): DestinationStream {
  const stdout = pino.destination({ dest: 1, sync: true });
  stdout.on('error', () => {}); // survive a closed pipe
  return stdout;
}

/** Imports the module on demand, as it is as large as the rest of the logger. */
async function createTerminalStdout(): Promise<DestinationStream> {
  const pretty = await import('pino-pretty');
  const stdout = pretty.default({
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'url,store,reason',
    singleLine: true,
  });
  return { write: (line) => stdout.write(line) };
}
