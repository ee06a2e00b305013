import { ConfigError } from '../../../config/config.ts';
import { prependExamplesToHelp } from '../../flags.ts';
import type { RegisterCommand } from '../../io.ts';
import { toPrintableLine } from '../../terminal/printable-text.ts';
import { createStyleForOutput } from '../../terminal/style.ts';
import type { DoctorFlags } from './doctor-checks.ts';

const colorsByState = { ok: 'success', warning: 'warning', fault: 'error' } as const;

export const registerDoctorCommand: RegisterCommand = (program, { env, stdout }, run) => {
  const command = program
    .command('doctor')
    .summary('find problems, and say how to fix them')
    .description('find problems, and say how to fix them; changes nothing, and exits with 1 if it finds faults')
    .option('--full', 'check the whole database, however long it takes')
    .option('--url <url>', 'only check whether the service at this address is ready (NOTES_URL)')
    .option('--ready', 'only check whether the service of this machine is ready (HOST, PORT)')
    .option('--db <store>', 'check this store: a file, or any value of DATABASE_URL (DATABASE_URL)')
    .option('--json', 'print the checks as JSON');
  prependExamplesToHelp(command, [
    ['notes doctor', ''],
    ['notes doctor --ready', 'as the health check of a container'],
    ['notes doctor --url http://127.0.0.1:3000', 'the same, for a service elsewhere'],
  ]).action(
    run(async (flags: DoctorFlags) => {
      const { db, url, ready, json } = flags;
      const targets = [db, url, ready].filter((target) => target !== undefined);
      if (targets.length > 1) throw new ConfigError('Give only one of --db, --url and --ready');
      const { runDoctorChecks } = await import('./doctor-checks.ts');
      const checks = await runDoctorChecks(env, flags);
      const ok = checks.every(({ state }) => state !== 'fault');
      if (json) stdout.write(`${JSON.stringify({ checks, ok })}\n`);
      for (const { name, state, found, remedy } of json ? [] : checks) {
        const text = `${name.padEnd(12)} ${[found, ...(remedy ? [remedy] : [])].join('. ')}`;
        stdout.write(
          `${createStyleForOutput(stdout, env).color(colorsByState[state], state.padEnd(7))} ${toPrintableLine(text)}\n`,
        );
      }
      return ok ? 0 : 1;
    }),
  );
};
