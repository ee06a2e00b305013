/** Another program on the service's database, in a separate process so that locks and caches are real. */
import { join } from 'node:path';
import { forEachLine } from '../support/service.ts';

export interface OtherProgram extends AsyncDisposable {
  readonly pid: number;
  /** Runs a statement and resolves to its rows; rejects on an SQLite error. One at a time. */
  run(sql: string): Promise<unknown[]>;
}

export function startOtherProgram(path: string): OtherProgram {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'other-program.ts'), path], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let done = (_line: string) => {};
  void forEachLine(child.stdout, (line) => done(line));
  const failed = child.exited.then(async (code) => {
    throw new Error(`The other program ended with ${code}: ${await new Response(child.stderr).text()}`);
  });
  failed.catch(() => {}); // callers of `run` get the rejection

  return {
    pid: child.pid,
    async run(sql) {
      const { promise, resolve } = Promise.withResolvers<string>();
      done = resolve;
      child.stdin.write(`${JSON.stringify(sql)}\n`);
      return JSON.parse(await Promise.race([promise, failed]));
    },
    async [Symbol.asyncDispose]() {
      await child.stdin.end(); // it closes the database, as programs do
      await child.exited;
    },
  };
}
