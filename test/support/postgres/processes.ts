/** The processes of a PostgreSQL server, read from /proc on Linux. */
import { readFileSync } from 'node:fs';
import { isEventuallyTrue } from '../eventually.ts';
import { hasExited } from '../system/process-facts.ts';
import { runStatements } from './databases.ts';
import type { PostgresServer } from './server.ts';

const listChildIds = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Stops every process of a server, as on a frozen machine. Returns a function that resumes them. */
export function freezeProcesses({ pid }: PostgresServer): () => void {
  const processes = stopProcessesAndListIds(pid);
  return () => {
    for (const one of processes) process.kill(one, 'SIGCONT');
  };
}

/** Kills every process of a server at once, as a power cut does. */
export async function killServerProcesses({ pid }: PostgresServer): Promise<void> {
  const processes = stopProcessesAndListIds(pid);
  for (const one of processes) process.kill(one, 'SIGKILL');
  if (!(await isEventuallyTrue(() => processes.every((one) => hasExited({ pid: one })))))
    throw new Error('A server outlives SIGKILL');
}

/** Stops all processes of a server and returns their ids, the parent's last: until it goes on, no id becomes free. */
function stopProcessesAndListIds(pid: number): readonly number[] {
  process.kill(pid, 'SIGSTOP'); // so that it starts no others
  const processes = [...listChildIds(pid), pid];
  for (const one of processes) process.kill(one, 'SIGSTOP');
  return processes;
}

/** Resolves when a server accepts connections and returns a row for this statement. */
export async function waitForRow({ url }: PostgresServer, select = 'SELECT 1 AS one'): Promise<void> {
  const hasRow = () =>
    runStatements(url(), select).then(
      (rows) => rows.length > 0,
      () => false,
    );
  if (!(await isEventuallyTrue(hasRow))) throw new Error(`The server has no row for ${select}`);
}
