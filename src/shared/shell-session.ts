/** Shell commands as people keep them: with the prompts of a terminal, `$ `, and `> ` where a command goes on. */

const prompt = '$ ';
const continued = /^>(?: |$|\r)/;

/** The end of a line that the next one goes on from. */
const unfinished = /(?:\\|\||&&|[{(]|\b(?:do|then|else))\s*$/;

/** The beginning of a here-document, whose lines are text up to its closing word. */
const hereDocument = /(?<!<)<<-?\s*(['"]?)([A-Za-z_]\w*)\1/;

/**
 * The length of the prompt in front of each line, 0 where there is none. `# ` begins a comment and is never a prompt; `> ` is
 * one only below a command that has not ended, as it redirects or is output elsewhere.
 */
export function promptLengths(lines: readonly string[]): readonly number[] {
  const words = new Set(lines.map((line) => line.replace(/^> /, '').trim()));
  let goesOn = false;
  let closing: string | undefined;

  function lengthIn(line: string): number {
    if (goesOn && continued.test(line)) return line.startsWith('> ') ? 2 : 1;
    return closing === undefined && line.startsWith(prompt) ? prompt.length : 0;
  }

  return lines.map((line) => {
    const length = lengthIn(line);
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
 * What runs when it is pasted into a shell: the text without prompts, and without the line ends behind it, which would run
 * the last line. All else stays, output too, as nothing tells it from commands.
 */
export function whatRuns(text: string): string {
  const lines = text.split('\n');
  const lengths = promptLengths(lines);
  const commands = lines.map((line, index) => line.slice(lengths[index])).join('\n');
  let end = commands.length;
  while (commands[end - 1] === '\n' || commands[end - 1] === '\r') end--;
  return commands.slice(0, end);
}
