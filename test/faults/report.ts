import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from '../../bench/tools/machine.ts';
import { isThorough } from '../support/scale.ts';
import { promises } from './promises.ts';

const page = join(import.meta.dir, '..', '..', 'bench', 'FAULTS.md');
const reported = new Map<number, readonly string[]>();

/** Prints the figures of a fault, by its number in promises.ts; at full scale, keeps them in bench/FAULTS.md. */
export function reportFigures(fault: number, figures: string): void {
  console.log(`Fault ${fault}: ${figures}`);
  if (isThorough) replaceFaultRow(fault, figures);
}

/** Reports why a fault cannot be tested here. */
export function printAndRecordSkippedFault(fault: number, reason: string): void {
  console.warn(`Fault ${fault} is skipped: ${reason}`);
  if (isThorough) replaceFaultRow(fault, `skipped: ${reason}`);
}

/** Replaces the row of the fault; what one run reports of it is in one row. */
function replaceFaultRow(fault: number, figures: string): void {
  const all = [...(reported.get(fault) ?? []), figures];
  reported.set(fault, all);
  const date = new Date().toISOString().slice(0, 10);
  const { fault: what = '', promise = '' } = promises[fault] ?? {};
  const cells = [fault, what, promise, all.join('<br>'), `${date}, ${describeMachine()}`];
  const lines = readFileSync(page, 'utf8').trimEnd().split('\n');
  const isRow = (line: string) => /^\| \d/.test(line);
  const rows = lines.filter((line) => isRow(line) && !line.startsWith(`| ${fault} |`));
  rows.push(`| ${cells.join(' | ')} |`);
  const numberOf = (row: string) => Number(row.split('|')[1]);
  rows.sort((one, other) => numberOf(one) - numberOf(other));
  writeFileSync(page, `${[...lines.filter((line) => !isRow(line)), ...rows].join('\n')}\n`);
}
