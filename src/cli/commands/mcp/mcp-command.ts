import { NoteError } from '../../../core/error.ts';
import { getErrorMessage } from '../../../core/thrown-errors.ts';
import type { StoreFlags } from '../../flag-types.ts';
import { addStoreFlags, prependExamplesToHelp } from '../../flags.ts';
import type { Io, RegisterCommand } from '../../io.ts';
import { openNoteStoreOrEmptyDefault, openOrCreateNoteStore } from '../../notes/open-note-store.ts';
import { toPrintableLine } from '../../terminal/printable-text.ts';
import { LazyStore } from './lazy-store.ts';

interface McpFlags extends StoreFlags {
  readonly write?: boolean;
  readonly allowSecrets?: boolean;
}

export const registerMcpCommand: RegisterCommand = (program, io, run) => {
  const command = program
    .command('mcp')
    .summary('serve notes to a program that speaks MCP')
    .description('serve the notes over standard input and output to a program that speaks MCP, which starts this one')
    .option('--write', 'also let it create, change and archive notes')
    .option('--allow-secrets', 'also show it notes that seem to hold keys or passwords');
  prependExamplesToHelp(addStoreFlags(command), [
    ['notes mcp', 'a program that speaks MCP starts it; see docs/mcp.md'],
    ['notes mcp --write', 'it may change notes too'],
  ]).action(
    run(async (flags: McpFlags) => {
      if (io.stdin.isTTY) io.stderr.write(typedByHandText);
      await serveMcp(io, flags);
    }),
  );
};

const typedByHandText =
  'This command speaks MCP to the program that starts it; see "notes mcp --help". Ctrl+C ends it\n';

async function serveMcp(
  io: Io,
  { write: writes = false, allowSecrets: allowsSecrets = false, ...options }: McpFlags,
): Promise<void> {
  const { openStdioConnection } = await import('../../../service/mcp/mcp-stdio.ts');
  const report = (error: unknown) => {
    io.stderr.write(`notes: ${toPrintableLine(getErrorMessage(error))}\n`);
  };
  await using store = new LazyStore(() => (writes ? openOrCreateNoteStore : openNoteStoreOrEmptyDefault)(io, options));
  await store
    .use(async () => {})
    .catch((error) => {
      if (!(error instanceof NoteError)) throw error;
      report(error); // it may become available later
    });
  await using connection = openStdioConnection({ use: store.use, writes, allowsSecrets, report });
  const stop = await Promise.race([connection.ended, io.handleSignals().promise]);
  if (stop?.failure !== undefined) throw stop.failure;
}
