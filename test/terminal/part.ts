import { copyToClipboardAndReport } from '../../src/cli/commands/show/clipboard.ts';
import { toExitCode } from '../../src/cli/exit-code.ts';
import type { Io } from '../../src/cli/io.ts';
import { editTextAndKeepFile } from '../../src/cli/terminal/edit-text.ts';
import { confirmQuestion, promptForAnswer, promptForPlaceholderValueOrEmpty } from '../../src/cli/terminal/prompt.ts';
import { listDistinctPlaceholders } from '../../src/core/placeholders.ts';
import type { StopRequest } from '../../src/service/shutdown.ts';

/** Runs one function of src/cli/terminal in a process of its own, on its streams: `part.ts <name> <argument>`. */

const { env, stdin, stdout, stderr } = process;
const stopping = Promise.withResolvers<StopRequest>();
const io: Io = {
  ...{ env, stdin, stdout, stderr },
  handleSignals: () => stopping,
  handleHangUps: () => {},
  stoppedAgain: new Promise(() => {}),
  ignoreClosedOutput: () => {},
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.resolve({ reason: signal }));

const parts: Readonly<Record<string, (argument: string) => Promise<unknown>>> = {
  askText: (question) => promptForAnswer(question, io),
  askValue: (text) =>
    promptForPlaceholderValueOrEmpty(listDistinctPlaceholders(`{{${text}}}`)[0] ?? { name: text }, io),
  confirm: (question) => confirmQuestion(question, io),
  copy: async (text) => copyToClipboardAndReport(text, 1, io),
  editTextInEditor: async (text) => {
    const edited = await editTextAndKeepFile(text, { io, name: '../Ünsafe name', category: 'css' });
    if (env['KEEP']) return edited;
    edited.discard();
    return edited;
  },
};

const [name = '', argument = ''] = process.argv.slice(2);
try {
  stdout.write(`${JSON.stringify(await parts[name]?.(argument))}\n`);
} catch (error) {
  stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : error}\n`);
  process.exitCode = toExitCode(error);
}
process.exit();
