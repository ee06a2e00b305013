import { type Command, InvalidArgumentError } from 'commander';
import type { Environment } from '../../../config.ts';
import { invalid, NoteError } from '../../../core/error.ts';
import * as message from '../../../core/message.ts';
import type { Note } from '../../../core/note.ts';
import {
  addKnownDefaults,
  fillPlaceholders,
  type Placeholder,
  placeholdersIn,
  valueFor,
} from '../../../core/placeholders.ts';
import { whatRuns } from '../../../core/tools/shell-session.ts';
import { addExamples, addFilterFlags, addStoreFlags, type NoteFlags, parsePositiveInteger } from '../../flags.ts';
import { type DefineCommand, type Io, isInteractive } from '../../io.ts';
import { type FindFlags, findOrPickNote } from '../../notes/find-or-pick-note.ts';
import { createLabelReader, openNotes } from '../../notes/open-notes.ts';
import { createStyle, encodePrintableJson, isDumbTerminal } from '../../terminal/style.ts';

interface ShowFlags extends NoteFlags, FindFlags {
  readonly raw?: boolean;
  readonly copy?: boolean;
  readonly version?: number;
  readonly pager?: boolean;
  readonly set?: ReadonlyMap<string, string>;
}

export const defineShowCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('show [words...]')
    .summary('show a note, or fill in its {{names}}')
    .description(
      'show one note, given by its id or by words in it; pick one if several match. ' +
        'On a terminal it stays as written, or --set fills it in, with defaults for the others; ' +
        'for a pipe, {{names}} are asked for',
    )
    .option('--raw', 'only its content, byte for byte, with its {{names}}; asks nothing')
    .option('-C, --copy', 'copy its content, as "notes copy" does');
  addExamples(
    addNoteFlags(command, io).option('--no-pager', 'print a long note without a pager').option('--json', 'as JSON'),
    [
      ['notes show 12', 'the note with this id'],
      ['notes show undo commit -C', 'into the clipboard'],
      ['notes show review --set language=Go | claude', 'fills {{language}}; asks for the others'],
    ],
  ).action(
    run(async (words: string[], flags: ShowFlags) => {
      await showNote(await findNoteVersion(words, flags, io), flags, io);
    }),
  );
};

export const defineCopyCommand: DefineCommand = (program, io, run) => {
  const command = program
    .command('copy [words...]')
    .summary('copy the content of a note')
    .description(
      'copy the content of a note to the clipboard, given by its id or by words in it; pick one if several match. ' +
        'Of commands only what runs is copied; {{names}} are asked for',
    )
    .option('--raw', 'the whole content as it is, with its {{names}}; asks nothing');
  addExamples(addNoteFlags(command, io), [
    ['notes copy undo commit', 'the note with these words'],
    ['notes copy', 'picked from a list, as "notes" alone'],
    ['notes copy review --set language=Go', 'fills {{language}}'],
  ]).action(
    run(async (words: string[], flags: ShowFlags) => {
      await copyNote(await findNoteVersion(words, flags, io), flags, io);
    }),
  );
};

/** Adds the flags that name a note and values for it. */
const addNoteFlags = (command: Command, io: Io): Command =>
  addStoreFlags(
    addFilterFlags(command, io)
      .option('--set <name=value>', 'replace {{name}} with a value; may be repeated', parseValuePair)
      .option('--version <number>', 'an earlier version, by its number in "notes history"', parsePositiveInteger)
      .option('--pick', 'always pick it from a list'),
  );

/** Throws `InvalidArgumentError` if the text is not a pair. */
function parseValuePair(pair: string, values: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return new Map(values).set(name.trim(), value);
}

async function findNoteVersion(words: readonly string[], flags: ShowFlags, io: Io): Promise<Note> {
  const note = await findOrPickNote(words, flags, { flags, io });
  if (flags.version === undefined) return note;
  const { getVersion } = await import('../../notes/version-diff.ts');
  await using store = await openNotes(io, flags);
  return await getVersion(store, note.id, flags.version);
}

/** Copies a text; of a command only what runs, unless it is wanted raw. */
async function copyNote(
  { id, content, category }: Note,
  { raw = false, set: given }: ShowFlags,
  io: Io,
): Promise<void> {
  const text = category === 'bash-commands' && !raw ? whatRuns(content) : content;
  await copyToClipboard(await fillContent(text, { given, asks: !raw, takesBlanks: true }, io), id, io);
}

async function showNote(note: Note, flags: ShowFlags, io: Io): Promise<void> {
  const { stdout, env } = io;
  const { raw = false, json = false, copy = false, pick: isPicked = false, set: given } = flags;
  if (copy) await copyNote(note, flags, io);
  if (copy && !raw && !json) return;
  const isRead = stdout.isTTY === true && !raw && !json;
  const isPiped = !isRead && !raw && !json;
  const content = await fillContent(
    note.content,
    { given, asks: isPicked || isPiped, takesBlanks: isPicked || !isPiped },
    io,
  );
  if (json) return void stdout.write(`${encodePrintableJson({ ...note, content })}\n`);
  if (!isRead) return void stdout.write(content);
  const { formatNotePage, printWithPager } = await import('../../terminal/note-page.ts');
  const labels = await createLabelReader(io, flags).labels();
  const page = formatNotePage({ ...note, content }, createStyle(stdout, env), labels);
  if (flags.pager === false) stdout.write(page);
  else await printWithPager(page, io);
}

interface Filling {
  /** Values given by flags. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Whether the text is about to be used: others are asked for if possible, or get their defaults. */
  readonly asks: boolean;
  /** Whether placeholders may stay without a value, since somebody sees the text before it is used. */
  readonly takesBlanks: boolean;
}

const formatPlaceholders = (placeholders: readonly Placeholder[]) =>
  placeholders.map(({ name }) => `{{${name}}}`).join(', ');

/**
 * Replaces placeholders by values; those without a value or default stay, and are reported. Throws `unavailable` if
 * they must not, and `invalid` for an unknown name or a value that is not among the choices.
 */
export async function fillContent(text: string, { given, asks, takesBlanks }: Filling, io: Io): Promise<string> {
  const placeholders = addKnownDefaults(placeholdersIn(text), new Date());
  for (const [name, value] of given ?? []) assertPlaceholderValue(name, value, placeholders);
  if (given === undefined && !asks) return text;
  const canAsk = asks && isInteractive(io);
  const values = new Map(given);
  for (const placeholder of placeholders) {
    if (values.has(placeholder.name)) continue;
    const value = valueFor(placeholder, canAsk ? await promptForValue(placeholder, io) : undefined);
    if (value !== undefined) values.set(placeholder.name, value);
  }
  const blanks = placeholders.filter(({ name }) => !values.has(name));
  if (blanks.length > 0 && !takesBlanks) throw new NoteError('unavailable', formatMissingValues(blanks));
  if (blanks.length > 0) io.stderr.write(`Left blank: ${formatPlaceholders(blanks)}\n`);
  return fillPlaceholders(text, values);
}

function formatMissingValues(blanks: readonly Placeholder[]): string {
  const flags = blanks.map(({ name }) => `--set ${name.includes(' ') ? `'${name}=…'` : `${name}=…`}`).join(' ');
  const [have, them] = blanks.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return `${formatPlaceholders(blanks)} ${have} no value. Give ${them} by ${flags}, or use --raw for the text as written`;
}

async function promptForValue(placeholder: Placeholder, io: Io): Promise<string> {
  const { promptForPlaceholderValue } = await import('../../terminal/prompt.ts');
  return await promptForPlaceholderValue(placeholder, io);
}

function assertPlaceholderValue(name: string, value: string, placeholders: readonly Placeholder[]): void {
  const placeholder = placeholders.find((known) => known.name === name);
  if (placeholder === undefined) {
    const known = placeholders.length > 0 ? `It has ${formatPlaceholders(placeholders)}` : 'It has no placeholders';
    throw invalid(`The note has no {{${name}}}. ${known}`);
  }
  const { choices } = placeholder;
  if (choices?.includes(value) === false) throw invalid(message.notOneOf(name, choices));
}

/** A program that copies its standard input to the clipboard. */
interface ClipboardProgram {
  readonly command: readonly [string, ...string[]];
  readonly isUsable: (env: Environment) => boolean;
}

const isAlwaysUsable = () => true;
const windowsScript =
  '[Console]::InputEncoding = [Text.UTF8Encoding]::new($false); Set-Clipboard -Value ([Console]::In.ReadToEnd())';

/** In the order of preference. */
const clipboardPrograms: readonly ClipboardProgram[] = [
  { command: ['pbcopy'], isUsable: isAlwaysUsable },
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
export async function copyToClipboard(text: string, id: number, io: Io): Promise<void> {
  for (const { command, isUsable } of clipboardPrograms) {
    const program = isUsable(io.env) ? Bun.which(command[0], { PATH: io.env['PATH'] ?? '' }) : null;
    if (program === null || !(await runClipboardProgram([program, ...command.slice(1)], text, io.env))) continue;
    io.stderr.write(`Copied by ${command[0]}\n`);
    return;
  }
  if (io.stderr.isTTY !== true || isDumbTerminal(io.env)) throw new NoteError('unavailable', formatNoClipboard(id));
  io.stderr.write(createClipboardSequence(text, id, io.env));
  io.stderr.write('Copied by the terminal, if it allows that (OSC 52)\n');
}

const formatNoClipboard = (id: number) =>
  `No clipboard is available. Install wl-clipboard, xclip or xsel, or use "notes show --raw ${id}"`;

/** Clipboard programs leave a process running in the background, so only wait for the exit, not for the streams. */
async function runClipboardProgram(command: string[], text: string, env: Environment): Promise<boolean> {
  const child = Bun.spawn(command, {
    env: { ...env },
    stdin: Buffer.from(text),
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: clipboardTimeoutMs,
  });
  return (await child.exited) === 0;
}

/** In characters of base64. xterm and others silently drop longer sequences. */
const maxSequenceLength = 100_000;
/** GNU screen accepts no longer strings. */
const maxScreenSequenceLength = 700;

function createClipboardSequence(text: string, id: number, env: Environment): string {
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
