/** Shell commands copied from a terminal: with `$ ` prompts, and `> ` on continued lines. */

const prompt = '$ ';
const continued = /^>(?: |$|\r)/;

/** The end of a line that the next one continues. */
const unfinished = /(?:\\|\||&&|[{(]|\b(?:do|then|else))\s*$/;

/** The start of a here-document, whose lines are text up to its closing word. */
const hereDocument = /(?<!<)<<-?\s*(['"]?)([A-Za-z_]\w*)\1/;

/**
 * The length of the prompt before each line, 0 if none. `# ` begins a comment and is never a prompt; `> ` is one only
 * after an incomplete command, as elsewhere it redirects or is output.
 */
export function findPromptLengths(lines: readonly string[]): readonly number[] {
  const words = new Set(lines.map((line) => line.replace(/^> /, '').trim()));
  let goesOn = false;
  let closing: string | undefined;

  function findPromptLength(line: string): number {
    if (goesOn && continued.test(line)) return line.startsWith('> ') ? 2 : 1;
    return closing === undefined && line.startsWith(prompt) ? prompt.length : 0;
  }

  return lines.map((line) => {
    const length = findPromptLength(line);
    const text = line.slice(length);
    const isText = closing !== undefined;
    if (text.trim() === closing) closing = undefined;
    const word = isText ? undefined : hereDocument.exec(text)?.[2];
    if (word !== undefined && words.has(word)) closing = word;
    goesOn = length > 0 && (line.startsWith('>') || closing !== undefined || unfinished.test(text));
    return length;
  });
}

/**
 * Removes prompts and trailing line ends: a shell would run the last line on paste. Keeps everything else, including
 * output, which cannot be told apart from commands.
 */
export function removePromptsAndFinalLineEnds(text: string): string {
  const lines = text.split('\n');
  const lengths = findPromptLengths(lines);
  const commands = lines.map((line, index) => line.slice(lengths[index])).join('\n');
  let end = commands.length;
  while (commands[end - 1] === '\n' || commands[end - 1] === '\r') end--;
  return commands.slice(0, end);
}
