import { Readable } from 'node:stream';
import type { Input, Io, Output } from '../../../src/cli/io.ts';
import type { StopRequest } from '../../../src/service/shutdown.ts';

/** An output that keeps what is written to it. */
export class RecordedOutput implements Output {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string | Uint8Array): boolean {
    this.text += text;
    return true;
  }
}

/** What a command needs, in the process of the test: the given input, and outputs that are kept. */
export function createRecordedIo({
  env = {},
  stdin = '',
}: {
  env?: Io['env'];
  stdin?: string | Iterable<Uint8Array>;
} = {}) {
  const stopping = Promise.withResolvers<StopRequest>();
  return {
    env,
    stdin: Readable.from(typeof stdin === 'string' ? [Buffer.from(stdin)] : stdin) as Input,
    stdout: new RecordedOutput(),
    stderr: new RecordedOutput(),
    handleSignals: () => stopping,
    handleHangUps() {},
    stoppedAgain: new Promise<void>(() => {}),
    ignoreClosedOutput() {},
  } satisfies Io;
}
