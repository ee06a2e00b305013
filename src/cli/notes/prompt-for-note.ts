import { createInvalidError } from '../../core/error.ts';
import type { Note } from '../../core/note.ts';
import { searchNotesByLine } from '../../core/search-line.ts';
import { InterruptedError } from '../interrupted-error.ts';
import type { Io } from '../io.ts';
import { toPrintableLine } from '../terminal/printable-text.ts';
import { promptForAnswer } from '../terminal/prompt.ts';
import { ScreenStream } from '../terminal/screen-stream.ts';
import { createStyleForOutput, isDumbTerminal, type Style } from '../terminal/style.ts';
import { measureWidth, truncateToWidth } from '../terminal/text-width.ts';

/** A line of the list. Choices are created anew for each query, so that the first one gets the focus. */
interface Choice {
  readonly value: { readonly note: Note };
  readonly label: string;
}

const question = 'Which note?';
/** More rows than a user would scroll through. */
const maxShown = 500;
const maxNumbered = 20;
const maxContentShown = 400;
const minContentColumns = 5;

/**
 * Lets the user pick a note from a list drawn on stderr, filtered by `query` and as they type. Restores the screen.
 * Throws `InterruptedError` on Ctrl+C, Ctrl+D and Esc. Requires `canPrompt`.
 */
export async function promptForNote(notes: readonly Note[], query: string, io: Io): Promise<Note> {
  if (isDumbTerminal(io.env)) return promptForNoteByNumber(searchNotesByLine(notes, query), io);
  const { autocomplete } = await import('@clack/prompts');
  using screen = new ScreenStream(io.stderr);
  using cancel = abortOnCloseAndMapKeysToArrows(io);
  const style = createStyleForOutput(io.stderr, io.env);
  let shown: { readonly query: string | undefined; readonly choices: Choice[] } = { query: undefined, choices: [] };
  const getOrCreateChoices = (typed: string) => {
    if (typed !== shown.query) {
      const found = searchNotesByLine(notes, typed).slice(0, maxShown);
      shown = { query: typed, choices: found.map((note) => createNoteChoice(note, screen, style)) };
    }
    return shown.choices;
  };
  screen.enterAlternateScreen();
  const picked = await autocomplete<Choice['value']>({
    message: question,
    initialUserInput: query,
    input: io.stdin,
    output: screen,
    signal: cancel.signal,
    withGuide: false,
    filter: () => true, // choices are filtered by the search
    options() {
      return getOrCreateChoices(this.userInput);
    },
  });
  if (typeof picked !== 'object') throw new InterruptedError();
  return picked.note;
}

/** `■ title  beginning of the content  category`, with room for the cursor of the list in front. */
function createNoteChoice(note: Note, screen: ScreenStream, style: Style): Choice {
  const room = screen.columns - 5;
  const title = truncateToWidth(toPrintableLine(note.title), room);
  const behind = room - measureWidth(title) - measureWidth(note.category) - 4;
  const start = `${style.color(note.color, '■')} ${title}`;
  if (behind < minContentColumns) return { value: { note }, label: start };
  const content = truncateToWidth(
    toPrintableLine(note.content.slice(0, maxContentShown).trim().replace(/\s+/g, ' ')),
    behind,
  );
  const blanks = ' '.repeat(behind - measureWidth(content));
  return { value: { note }, label: `${start}  ${style.dim(`${content}${blanks}  ${note.category}`)}` };
}

interface Key {
  ctrl?: boolean;
  name?: string;
}

const arrows: Readonly<Record<string, string>> = { n: 'down', p: 'up' };

/** Aborts when the input is closed, by Ctrl+D or with the terminal. Maps Ctrl+N and Ctrl+P to arrow keys. */
function abortOnCloseAndMapKeysToArrows({ stdin }: Pick<Io, 'stdin'>): Disposable & { readonly signal: AbortSignal } {
  const ending = new AbortController();
  const end = () => ending.abort();
  const press = (_: unknown, key: Key) => {
    if (!key.ctrl) return;
    if (key.name === 'd') end();
    const arrow = arrows[key.name ?? ''];
    if (arrow !== undefined) Object.assign(key, { ctrl: false, name: arrow }); // for the listeners after this one
  };
  stdin.on('keypress', press).once('end', end);
  return {
    signal: ending.signal,
    [Symbol.dispose]: () => void stdin.off('keypress', press).off('end', end),
  };
}

/** Prints a numbered list and prompts for a number, for terminals that can only print lines. */
async function promptForNoteByNumber(notes: readonly Note[], io: Io): Promise<Note> {
  const lines = notes.slice(0, maxNumbered).map(({ title }, index) => `${index + 1}  ${toPrintableLine(title)}\n`);
  io.stderr.write(lines.join(''));
  if (notes.length > lines.length)
    io.stderr.write(`and ${notes.length - lines.length} more: add words to narrow the search\n`);
  const answer = await promptForAnswer(`${question} Number:`, io);
  const note = /^\s*\d+\s*$/.test(answer) ? notes[Number(answer) - 1] : undefined;
  if (note === undefined) throw createInvalidError('That is not a number in the list');
  return note;
}
