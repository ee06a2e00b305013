/** The options of the benchmarks that measure loads. */
import { parseArgs } from 'node:util';

/** Ends the process when one is wrong. */
export function readOptionsOrExit() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '5' },
      before: { type: 'string' },
      peers: { type: 'boolean', default: false },
      only: { type: 'string' },
      audit: { type: 'boolean', default: false },
    },
  });
  return {
    ...values,
    seconds: parseOptionOrExit('seconds', values.seconds),
    rounds: parseOptionOrExit('rounds', values.rounds),
  };
}

function parseOptionOrExit(name: string, text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  console.error(`--${name} must be an integer from 1 to 99, not ${text}`);
  process.exit(2);
}
