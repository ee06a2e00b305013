import { parsePositiveInteger, prependExamplesToHelp } from '../../flags.ts';
import type { RegisterCommand } from '../../io.ts';
import { addImportAndSyncFlags } from '../import/source-flags.ts';
import type { SyncFlags } from './sync-sources.ts';

export const registerSyncCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('sync <source...>')
    .summary('import what is new in files and folders')
    .description(
      'import what has changed in files and folders since the last time: sessions that have grown, ' +
        'files that were edited. Notes changed here stay as they are, and a missing source deletes nothing',
    )
    .option('--watch', 'keep syncing until stopped')
    .option('--every <seconds>', 'with --watch, the least time between syncs', parsePositiveInteger, 60);
  prependExamplesToHelp(addImportAndSyncFlags(command), [
    ['notes sync ~/.claude/projects ~/.codex/sessions', 'sessions of Claude Code and Codex'],
    ['notes sync --watch ~/vault', 'a folder of Markdown files, until Ctrl+C'],
  ]).action(
    run(async (sources: string[], flags: SyncFlags) =>
      (await import('../sync/sync-sources.ts')).syncOnceOrWatch(sources, flags, io),
    ),
  );
};
