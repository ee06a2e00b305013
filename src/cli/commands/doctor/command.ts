import { ConfigError } from '../../../config.ts';
import { withExamples } from '../../help.ts';
import type { AddCommand, Io } from '../../io.ts';
import { checkedUrl, type NoteFlags, serviceIn } from '../../notes/store-options.ts';
import { printable, styleFor } from '../../terminal/style.ts';
import type { Check } from './check.ts';

interface DoctorFlags extends NoteFlags {
  readonly service?: boolean;
  readonly full?: boolean;
}

export const addDoctor: AddCommand = (program, io, run) => {
  const command = program
    .command('doctor')
    .summary('find problems, and say how to fix them')
    .description('find problems, and say how to fix them; changes nothing, and exits with 1 if it finds faults')
    .option('--full', 'check the whole database, however long it takes')
    .option('--service', 'only check whether the service at HOST and PORT is ready; print nothing if it is')
    .option('--url <url>', 'only check the service at this address (NOTES_URL)')
    .option('--db <store>', 'check this store: a file, or any value of DATABASE_URL (DATABASE_URL)')
    .option('--json', 'print the checks as JSON');
  withExamples(command, [
    ['notes doctor', ''],
    ['notes doctor --service', 'as the health check of a container'],
  ]).action(
    run(async (flags: DoctorFlags) => {
      const url = flags.service ? flags.url : serviceIn(io.env, flags); // a health check concerns the local service
      const isOfService = flags.service || url !== undefined;
      const checks = isOfService ? [await checkService(url, flags.db, io)] : await checkAll(flags, io);
      const isHealthy = checks.every(({ state }) => state !== 'fault');
      if (flags.json) io.stdout.write(`${JSON.stringify({ checks, ok: isHealthy })}\n`);
      else if (flags.service) printFaults(checks, io);
      else print(checks, io);
      return isHealthy ? 0 : 1;
    }),
  );
};

async function checkService(url: string | undefined, db: string | undefined, io: Io): Promise<Check> {
  if (db !== undefined) throw new ConfigError('--db names a store, not a service: leave out --service and --url');
  const { examineService } = await import('./service.ts');
  return await examineService(io.env, url && checkedUrl(url));
}

async function checkAll({ db, full }: DoctorFlags, io: Io): Promise<readonly Check[]> {
  const { examine } = await import('./doctor.ts');
  return examine({ env: io.env, db, isFull: full === true });
}

function printFaults(checks: readonly Check[], { stderr }: Io): void {
  for (const check of checks) if (check.state !== 'ok') stderr.write(`notes: ${printable(sentenceOf(check))}\n`);
}

const sentenceOf = ({ found, remedy }: Check) => (remedy === undefined ? found : `${found}. ${remedy}`);

const colorOf = { ok: 'success', warning: 'warning', fault: 'error' } as const;

function print(checks: readonly Check[], { stdout, env }: Io): void {
  const style = styleFor(stdout, env);
  for (const check of checks) {
    const state = style.color(colorOf[check.state], check.state.padEnd(7));
    stdout.write(`${state} ${printable(`${check.name.padEnd(12)} ${sentenceOf(check)}`)}\n`);
  }
}
