import { createInterface } from 'node:readline/promises';
import { createInvalidError } from '../../core/error.ts';
import type { Placeholder } from '../../core/placeholders.ts';
import { InterruptedError } from '../interrupted-error.ts';
import { canPrompt, type Io } from '../io.ts';
import { toPrintableLine } from './printable-text.ts';
import { ScreenStream } from './screen-stream.ts';
import { isDumbTerminal } from './style.ts';
import { countRows } from './text-width.ts';

/**
 * Prompts for a line on stderr. Throws `InterruptedError` on Ctrl+C, Ctrl+D and Esc, and `invalid` without a terminal:
 * callers that can suggest a flag check `canPrompt` first.
 */
export const promptForAnswer = (question: string, io: Io): Promise<string> =>
  promptForLine(`${toPrintableLine(question)} `, io, { isErased: false });

/**
 * Prompts for the value of a placeholder; empty means its default. A choice can be abbreviated to a unique beginning.
 * Erases the questions afterwards. Throws as `promptForAnswer` does.
 */
export async function promptForPlaceholderValueOrEmpty(
  { name, default: preset, choices }: Placeholder,
  io: Io,
): Promise<string> {
  const hint = `${choices ? ` (${choices.join(' | ')})` : ''}${preset ? ` [${preset}]` : ''}`;
  for (;;) {
    const typed = await promptForLine(`${toPrintableLine(name + hint)}: `, io, {
      isErased: !isDumbTerminal(io.env),
      acceptsPaste: true,
    });
    const value = choices === undefined || typed === '' ? typed : findChoiceByPrefix(typed.trim(), choices);
    if (value !== undefined) return value;
  }
}

/** Returns the choice that equals the text, or the only one that begins with it. */
function findChoiceByPrefix(typed: string, choices: readonly string[]): string | undefined {
  const begun = choices.filter((choice) => choice.toLowerCase().startsWith(typed.toLowerCase()));
  return choices.find((choice) => choice === typed) ?? (begun.length === 1 ? begun[0] : undefined);
}

/** Returns whether the user answered yes; nothing typed means no. Throws as `promptForAnswer` does. */
export const confirmQuestion = async (question: string, io: Io): Promise<boolean> =>
  /^\s*y(es)?\s*$/i.test(await promptForAnswer(`${question} [y/N]`, io));

/** Bytes that follow Esc within this time, in ms, belong to the same key. */
const escapeCodeTimeout = 50;

interface PromptOptions {
  /** Whether to erase the question once something was typed. */
  readonly isErased: boolean;
  /** Whether lines that arrive at once, as pasted text does, form one text. */
  readonly acceptsPaste?: boolean;
}

async function promptForLine(
  prompt: string,
  io: Io,
  { isErased, acceptsPaste = false }: PromptOptions,
): Promise<string> {
  if (!canPrompt(io)) throw createInvalidError(`Cannot ask without a terminal: ${prompt.trimEnd()}`);
  using screen = new ScreenStream(io.stderr);
  const lines = createInterface({ input: io.stdin, output: screen, terminal: true, escapeCodeTimeout });
  const ending = new AbortController();
  let typed = '';
  const end = () => {
    typed = lines.line;
    ending.abort(); // also ends the line on the screen
  };
  const press = (_: unknown, key: { readonly name?: string }) => {
    if (key.name === 'escape') end();
  };
  lines.on('close', end); // by Ctrl+C, Ctrl+D or a closed terminal
  io.stdin.on('keypress', press);
  try {
    const further: string[] = [];
    const asked = lines.question(prompt, { signal: ending.signal });
    if (acceptsPaste) lines.on('line', (line) => further.push(line));
    typed = await asked; // the other lines of the same paste have arrived by now
    if (acceptsPaste && lines.line !== '') {
      further.push(lines.line);
      screen.write('\r\n');
    }
    typed = [typed, ...further].join('\n');
    return typed;
  } catch (error) {
    throw ending.signal.aborted ? new InterruptedError() : error;
  } finally {
    if (isErased) eraseTextAboveCursor(prompt + typed, screen);
    io.stdin.off('keypress', press);
    lines.close();
  }
}

/**
 * Erases a text after which a line break was written, and nothing above the text. If the text filled its last row to
 * the edge, the terminal may have begun another row. Then the first row of the text remains: if one row more were
 * erased, it could be a row above the text.
 */
function eraseTextAboveCursor(text: string, screen: ScreenStream): void {
  screen.write(`\x1b[${countRows(text, screen.columns)}A\r\x1b[J`);
}
