import { Argument } from 'commander';
import { withExamples } from '../../help.ts';
import type { AddCommand } from '../../io.ts';
import { addSettings, flagsOf } from '../../setting-flags.ts';

const actions = ['install', 'uninstall', 'status'] as const;
type Action = (typeof actions)[number];

export const addService: AddCommand = (program, io, run) => {
  const command = program
    .command('service')
    .summary('keep the service running for one user')
    .description('run the service while you are logged in, by systemd or launchd; takes the settings of "serve"')
    .addArgument(new Argument('<action>', 'after an upgrade, install again').choices(actions));
  withExamples(command, [
    ['notes service install', 'start it now and at each login'],
    ['notes service install --port 4000', 'the same with a setting, as for "notes serve"'],
    ['notes service uninstall', 'stop it, and say what stays'],
  ]);
  addSettings(command);
  command.action(
    run(async (action: Action, options: Record<string, string>) => {
      const { install, status, uninstall } = await import('./run.ts');
      if (action === 'install') return await install(flagsOf(options), io);
      return await (action === 'uninstall' ? uninstall(io) : status(io));
    }),
  );
};
