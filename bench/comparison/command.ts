/** Commands that are run to their end. */
import type { Host } from '../machine/processes.ts';

/** What the command prints, without the last line break. Throws, with its complaint, when it fails. */
export async function runCommand({ signal }: Host, argv: readonly string[], folder = import.meta.dir): Promise<string> {
  const child = Bun.spawn([...argv], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const code = await child.exited;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${complaint.trim()}`);
  return output.trimEnd();
}
