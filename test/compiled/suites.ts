import { join } from 'node:path';
import { Glob } from 'bun';

/** Of some folders one suite is enough. */
const chosen = ['test/compiled/', 'test/page/write.test.ts', 'test/postgres/instances.test.ts'];

/** Those folders; the faults, which are a run of their own; long suites about what no other form of the program changes. */
const leftOut = /^test\/((compiled|faults|page|postgres)\/|integration\/(lists|migrate)\.)/;

/** What a suite that starts the program takes from service.ts. */
const startsProgram =
  /import \{[^}]*\b(startService|run|program|services)\b[^}]*\} from '[./]+\/support\/(postgres\/services|service)\.ts'/;

/** The suites that are run once more on the compiled program: those that start it. */
export async function compiledSuites(root: string): Promise<string[]> {
  const suites: string[] = [];
  for (const suite of [...new Glob('test/**/*.test.ts').scanSync(root)].toSorted()) {
    if (leftOut.test(suite)) continue;
    if (startsProgram.test(await Bun.file(join(root, suite)).text())) suites.push(suite);
  }
  return [...suites, ...chosen];
}
