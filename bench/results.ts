/** RESULTS.md: a section for each kind of run, kept until that is measured again. */
import { join } from 'node:path';
import { comparisonHeading } from './comparison/report.ts';
import { contestHeading } from './contest/report.ts';

export interface Sections {
  readonly service: string;
  readonly comparison: string;
  readonly peers: string;
}

const file = join(import.meta.dir, 'RESULTS.md');

/** Replaces the sections that are given. */
export async function writeSections(changed: Partial<Sections>): Promise<void> {
  const { service, comparison, peers } = { ...(await readSections()), ...changed };
  await Bun.write(file, service + comparison + peers);
}

async function readSections(): Promise<Sections> {
  const [service = '', ...others] = (await Bun.file(file).text()).split(/(?=\n## Beside )/);
  const find = (heading: string) => others.find((section) => section.startsWith(heading)) ?? '';
  return { service, comparison: find(comparisonHeading), peers: find(contestHeading) };
}
