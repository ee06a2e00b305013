import type { Environment } from '../../../config/settings-table.ts';
import { NoteError } from '../../../core/error.ts';
import type { Io } from '../../io.ts';
import { isDumbTerminal } from '../../terminal/style.ts';

/** A program that copies its standard input to the clipboard. */
interface ClipboardProgram {
  readonly command: readonly [string, ...string[]];
  readonly isUsable: (env: Environment) => boolean;
  /** What the program needs beside the environment of the command. */
  readonly env?: Environment;
}

const isAlwaysUsable = () => true;

const windowsScript =
  '[Console]::InputEncoding = [Text.UTF8Encoding]::new($false); Set-Clipboard -Value ([Console]::In.ReadToEnd())';

/** The programs in the order of preference. */
const clipboardPrograms: readonly ClipboardProgram[] = [
  // It reads its input in the encoding of the locale, which often is not set, as over SSH: `é` would become `√©`.
  { command: ['pbcopy'], isUsable: isAlwaysUsable, env: { LC_ALL: 'en_US.UTF-8' } },
  { command: ['wl-copy', '--type', 'text/plain'], isUsable: (env) => Boolean(env['WAYLAND_DISPLAY']) },
  { command: ['xclip', '-selection', 'clipboard'], isUsable: (env) => Boolean(env['DISPLAY']) },
  { command: ['xsel', '--clipboard', '--input'], isUsable: (env) => Boolean(env['DISPLAY']) },
  { command: ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', windowsScript], isUsable: isAlwaysUsable },
  { command: ['tmux', 'load-buffer', '-w', '-'], isUsable: (env) => Boolean(env['TMUX']) },
];

const clipboardTimeoutMs = 5_000;

/**
 * Copies a text to the clipboard with a program, or else with the terminal (OSC 52), and reports which one on stderr.
 * Throws `unavailable`, which names the command that prints the note instead, if there is neither.
 */
export async function copyToClipboardAndReport(text: string, id: number, io: Io): Promise<void> {
  for (const { command, isUsable, env } of clipboardPrograms) {
    const program = isUsable(io.env) ? Bun.which(command[0], { PATH: io.env['PATH'] ?? '' }) : null;
    if (program === null) continue;
    if (!(await tryCopyWithProgram([program, ...command.slice(1)], text, { ...io.env, ...env }))) continue;
    io.stderr.write(`Copied by ${command[0]}\n`);
    return;
  }
  if (io.stderr.isTTY !== true || isDumbTerminal(io.env))
    throw new NoteError('unavailable', formatNoClipboardMessage(id));
  io.stderr.write(createClipboardSequenceOrThrow(text, id, io.env));
  io.stderr.write('Copied by the terminal, if it allows that (OSC 52)\n');
}

const formatNoClipboardMessage = (id: number) =>
  `No clipboard is available. Install wl-clipboard, xclip or xsel, or use "notes show --raw ${id}"`;

/** Clipboard programs leave a process running in the background, so only wait for the exit, not for the streams. */
async function tryCopyWithProgram(command: string[], text: string, env: Environment): Promise<boolean> {
  const child = Bun.spawn(command, {
    env: { ...env },
    stdin: Buffer.from(text),
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: clipboardTimeoutMs,
  });
  return (await child.exited) === 0;
}

/** The limit in characters of base64: xterm and others silently drop longer sequences. */
const maxSequenceLength = 100_000;

/** GNU screen accepts no longer strings. */
const maxScreenSequenceLength = 700;

/** Creates the escape sequence that makes a terminal copy a text, wrapped for tmux and GNU screen. */
function createClipboardSequenceOrThrow(text: string, id: number, env: Environment): string {
  const data = Buffer.from(text).toString('base64');
  if (data.length > maxSequenceLength) {
    throw new NoteError('unavailable', `The note is too long for the terminal clipboard. Use "notes show --raw ${id}"`);
  }
  const sequence = `\x1b]52;c;${data}\x07`;
  if (env['TMUX']) return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`;
  if (!env['STY']) return sequence;
  const pieces = sequence.match(new RegExp(`[\\s\\S]{1,${maxScreenSequenceLength}}`, 'g')) ?? [];
  return pieces.map((piece) => `\x1bP${piece}\x1b\\`).join('');
}
