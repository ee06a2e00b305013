/** The processes of a PostgreSQL server, read from /proc on Linux. */
import { readFileSync } from 'node:fs';
import { eventually } from '../eventually.ts';
import { isGone } from '../system/process-facts.ts';
import { runOn } from './databases.ts';
import type { PostgresServer } from './server.ts';

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Stops every process of a server, as on a frozen machine. Returns a function that resumes them. */
export function freeze({ pid }: PostgresServer): () => void {
  const processes = stopped(pid);
  return () => {
    for (const one of processes) process.kill(one, 'SIGCONT');
  };
}

/** Kills every process of a server at once, as a power cut does. */
export async function killAll({ pid }: PostgresServer): Promise<void> {
  const processes = stopped(pid);
  for (const one of processes) process.kill(one, 'SIGKILL');
  if (!(await eventually(() => processes.every((one) => isGone({ pid: one })))))
    throw new Error('A server outlives SIGKILL');
}

/** Stops all processes of a server and returns their ids, the parent's last: until it goes on, no id becomes free. */
function stopped(pid: number): readonly number[] {
  process.kill(pid, 'SIGSTOP'); // so that it starts no others
  const processes = [...childrenOf(pid), pid];
  for (const one of processes) process.kill(one, 'SIGSTOP');
  return processes;
}

/** Resolves when a server accepts connections and returns a row for this statement. */
export async function answering({ url }: PostgresServer, select = 'SELECT 1 AS one'): Promise<void> {
  const hasRow = () =>
    runOn(url(), select).then(
      (rows) => rows.length > 0,
      () => false,
    );
  if (!(await eventually(hasRow))) throw new Error(`The server has no row for ${select}`);
}
