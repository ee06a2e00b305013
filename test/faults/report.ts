import { appendFileSync } from 'node:fs';

/** Stores the figures of a fault, by its number in promises.ts, for bench/FAULTS.md. */
export function report(fault: number, figures: string): void {
  console.log(`Fault ${fault}: ${figures}`);
  keep({ fault, figures });
}

/** Reports why a fault cannot be tested here. */
export function reportSkipped(fault: number, reason: string): void {
  console.warn(`Fault ${fault} is skipped: ${reason}`);
  keep({ fault, skipped: reason });
}

function keep(line: object): void {
  const file = process.env['FAULT_REPORT'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
